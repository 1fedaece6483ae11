/// The programs that Python's `email` package takes its part in the tests with.
enum OracleScript {
  /// Reads cases, one JSON object a line, and prints a line for each thing that is not as said.
  static let reader = #"""
    import base64, email, json, re, sys
    from email import policy
    from email.header import decode_header, make_header
    from email.utils import parseaddr

    def unb(text):
        return base64.b64decode(text)

    def leaves(message):
        return [p for p in message.walk() if not p.is_multipart()]

    def first_line(raw):
        for line in raw.decode('utf-8', 'replace').split('\n'):
            line = re.sub('[\x00-\x1f\x7f-\x9f\u2028\u2029]+', ' ', line).strip()
            if line:
                return line

    def check(number, case):
        def expect(what, got, wanted):
            if got != wanted:
                print(number, what, ascii(got)[:300], 'not', ascii(wanted)[:300])
        for rules in (policy.default, policy.compat32):
            message = email.message_from_bytes(unb(case['message']), policy=rules)
            expect('fields', [k for k in message.keys()], case['fields'])
            for part in message.walk():
                expect('defects', part.defects, [])
            parts = leaves(message)
            text = ''
            if case['hasText']:
                part = parts.pop(0)
                expect('type', part.get_content_type(), 'text/plain')
                expect('charset', part.get_content_charset(), 'utf-8')
                text = part.get_payload(decode=True).decode('utf-8').replace('\r\n', '\n')
                if rules is policy.default:
                    expect('content', part.get_content().replace('\r\n', '\n'), text)
            expect('text', text, unb(case['text']).decode('utf-8'))
            expect('count', len(parts), len(case['attachments']))
            for part, wanted in zip(parts, case['attachments']):
                expect('name', part.get_filename(), unb(wanted['name']).decode('utf-8').strip())
                expect('kind', part.get_content_type(), wanted['type'])
                expect('disposition', part.get_content_disposition(), 'attachment')
                expect('octets', part.get_payload(decode=True), unb(wanted['content']))
        compat = message['Subject'] and message['Subject'].replace('\r\n', '')
        name, address = parseaddr(message['From'].replace('\r\n', ''))
        expect('mailbox by compat32', (str(make_header(decode_header(name))), address),
               (unb(case['name']).decode('utf-8'), 'me@example.org'))
        isOneWord = message['From'].count('=?utf-8?') < 2
        message = email.message_from_bytes(unb(case['message']), policy=policy.default)
        for name, value in message.items():
            expect('defects of ' + name, list(value.defects), [])
        expect('date', message['Date'].datetime.timestamp(), case['seconds'])
        expect('zone', message['Date'].datetime.utcoffset().total_seconds(), case['zone'])
        subject = message['Subject']
        if compat is not None:
            expect('subject by compat32', str(make_header(decode_header(compat))), subject)
        if 'subject' in case:
            expect('subject', subject, unb(case['subject']).decode('utf-8'))
        else:
            line = first_line(unb(case['raw']))
            if line is None and case['attachments']:
                line = unb(case['attachments'][0]['name']).decode('utf-8').strip()
            if line is None or subject is None:
                expect('subject', subject, line)
            elif subject != line:
                isCut = line.startswith(subject) and (len(subject) >= 110 or len(subject.encode()) > 900)
                expect('cut subject', isCut or (subject, line), True)
        # Python 3.11 puts a blank between two encoded-words of a name.
        if isOneWord:
            expect('mailbox', [(a.display_name, a.addr_spec) for a in message['From'].addresses],
                   [(unb(case['name']).decode('utf-8'), 'me@example.org')])

    count = 0
    for number, line in enumerate(sys.stdin):
        check(number, json.loads(line))
        count += 1
    print('read', count)
    """#

  /// Composes messages and prints each as a JSON object with what is in it.
  static let composer = #"""
    import base64, json, random, sys
    from email import message_from_bytes, policy
    from email.message import EmailMessage
    from email.mime.multipart import MIMEMultipart
    from email.mime.text import MIMEText
    from email.mime.application import MIMEApplication
    from email.header import Header, decode_header, make_header
    from email.utils import format_datetime
    from datetime import datetime, timezone, timedelta

    R = random.Random(20240101)
    WORDS = ['note', 'to', 'self', 'a=b', '.', 'From', '--', '"q"', '(c)', 'caf\u00e9', 'Br\u00fccke', '\u6f22\u5b57',
             '\U0001F600', '\u05e9\u05dc\u05d5\u05dd', 'https://example.org/?q=' + 'a' * 90, '50%', '=20', '\u20ac']

    def words(count, latin=False):
        pool = [w for w in WORDS if not latin or max(map(ord, w)) < 256]
        return ' '.join(R.choice(pool) for _ in range(R.randint(1, count)))

    def b64(data):
        return base64.b64encode(data if isinstance(data, bytes) else data.encode('utf-8')).decode()

    def modern(case):
        rules = R.choice([policy.default, policy.SMTP, policy.default.clone(cte_type='8bit'),
                          policy.SMTP.clone(max_line_length=998)])
        message = EmailMessage(policy=rules)
        charset = R.choice(['utf-8', 'utf-8', 'iso-8859-1'])
        text = ''.join(words(20, charset != 'utf-8') + R.choice(['\n', '\n\n', ' \n']) for _ in range(R.randint(1, 6)))
        cte = R.choice([None, 'base64', 'quoted-printable'])
        message.set_content(text, charset=charset, cte=cte)
        if R.random() < 0.3:
            message.add_alternative('<p>' + words(5) + '</p>', subtype='html')
            case['isAlternative'] = True
        files = []
        for _ in range(R.choice([0, 0, 1, 2])):
            name, data = 'f ' + words(R.choice([1, 6])).replace('/', '_').replace('"', '').replace('\\', ''), R.randbytes(R.randint(0, 200))
            message.add_attachment(data, maintype='application', subtype='x-test', filename=name)
            files.append((name, data))
        case['text'] = text
        return message, files, rules

    def classic(case):
        charset = R.choice(['us-ascii', 'utf-8', 'iso-8859-1', 'iso-8859-15', 'windows-1252'])
        text = {'us-ascii': 'plain\n', 'utf-8': words(30) + '\n'}.get(charset, 'na\u00efve 100\u00a0' +
               ('\u20ac' if charset != 'iso-8859-1' else '') + '\n')
        part = MIMEText(text, 'plain', charset)
        files = []
        if R.random() < 0.5:
            outer = MIMEMultipart()
            outer.attach(part)
            name, data = 'f' + words(4).replace('/', '_').replace('"', '').replace('\\', ''), R.randbytes(50)
            file = MIMEApplication(data, 'x-test')
            file.add_header('Content-Disposition', 'attachment', filename=('utf-8', '', name))
            outer.attach(file)
            files.append((name, data))
            part = outer
        case['text'] = text
        return part, files, part.policy

    for number in range(600):
        case = {'isAlternative': False}
        isModern = R.random() < 0.6
        message, files, rules = (modern if isModern else classic)(case)
        subject = words(R.choice([2, 12, 40]))
        message['Subject'] = subject if isModern else Header(subject, 'utf-8')
        when = datetime(R.randint(1971, 2100), R.randint(1, 12), R.randint(1, 28), R.randint(0, 23), R.randint(0, 59),
                        R.randint(0, 59), tzinfo=timezone(timedelta(minutes=R.randint(-720, 840))))
        message['Date'] = format_datetime(when)
        raw = message.as_bytes(policy=rules.clone(linesep=R.choice(['\n', '\r\n'])))
        # What Python reads of it, too: writing or reading costs some of its versions a blank.
        subjects = [subject, str(message_from_bytes(raw, policy=policy.default)['Subject']),
                    str(make_header(decode_header(message_from_bytes(raw)['Subject']))).replace('\n', '').replace('\r', '')]
        case.update(message=b64(raw), text=b64(case['text']), subjects=[b64(s) for s in subjects], seconds=int(when.timestamp()),
                    zone=int(when.utcoffset().total_seconds()),
                    files=[{'name': b64(n), 'content': b64(d)} for n, d in files])
        print(json.dumps(case))
    """#
}
