import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createRedactor, secretsOf } from '../../src/kit/index.ts'

const redactor = createRedactor([
  { name: 'SHORT_TOKEN', value: 'abcdefgh' },
  { name: 'LONG_TOKEN', value: 'abcdefgh-and-more' },
  { name: 'CERT_SECRET', value: 'first line of the key\nsecond line of the key' },
  { name: 'TINY_TOKEN', value: 'tiny' },
])

describe('known values', () => {
  verifies(
    ['d12/secret-variables'],
    'come from variables whose names say so, of eight characters or more',
    () => {
      const found = secretsOf({
        X_API_KEY: 'k'.repeat(8),
        GH_TOKEN: 't'.repeat(8),
        APP_SECRET: 's'.repeat(8),
        MYPASSWORD1: 'p'.repeat(8),
        PATH: '/usr/bin',
        TOKENIZER: 'words',
        EMPTY_TOKEN: undefined,
      })
      expect(found.map(secret => secret.name)).toEqual(['X_API_KEY', 'GH_TOKEN', 'APP_SECRET', 'MYPASSWORD1'])
      expect(createRedactor([{ name: 'A_TOKEN', value: 'seven77' }]).text('seven77')).toBe('seven77')
      expect(createRedactor([{ name: 'A_TOKEN', value: 'eight888' }]).text('eight888')).toBe(
        '[redacted:A_TOKEN]',
      )
    },
  )

  test('are replaced longest first', () => {
    expect(redactor.text('x abcdefgh-and-more y abcdefgh z')).toBe(
      'x [redacted:LONG_TOKEN] y [redacted:SHORT_TOKEN] z',
    )
  })

  test('of several lines are found line by line too', () => {
    expect(redactor.text('| second line of the key |')).toBe('| [redacted:CERT_SECRET] |')
  })

  test('are found in values that a regular expression would read as syntax', () => {
    const value = '(a+)+$[.*]{2}^|\\'
    expect(createRedactor([{ name: 'ODD_SECRET', value }]).text(`<${value}>`)).toBe('<[redacted:ODD_SECRET]>')
  })
})

describe('a known value with characters of two units', () => {
  const value = '\u{1f511}ab\u{1f512}cdefgh\u{1f513}ij'
  const odd = createRedactor([{ name: 'ODD_TOKEN', value }])
  const loneHalf = /\p{Surrogate}/u

  test('is found whole, and cut in two at any place one half of it at least', () => {
    expect(odd.text(`<${value}>`)).toBe('<[redacted:ODD_TOKEN]>')
    for (let cut = 1; cut < value.length; cut++) {
      const halves = [`<${value.slice(0, cut)}`, `${value.slice(cut)}>`]
      expect(halves.map(odd.text).join('')).toContain('[redacted:ODD_TOKEN]')
      for (const half of halves.filter(each => !loneHalf.test(each) && odd.text(each) !== each))
        expect(odd.suspects(JSON.stringify(half))).toBe(true)
    }
  })
})

describe('known shapes', () => {
  verifies(['d12/secret-patterns'], 'are replaced by the name of the shape', () => {
    const samples = {
      'anthropic-key': `sk-ant-api03-${'a'.repeat(40)}`,
      'openai-key': `sk-proj-${'A1'.repeat(20)}`,
      'openrouter-key': `sk-or-v1-${'0f'.repeat(32)}`,
      'google-key': `AIza${'B'.repeat(35)}`,
      'github-token': `ghp_${'c'.repeat(36)}`,
      'aws-key': `AKIA${'D'.repeat(16)}`,
      'slack-token': 'xoxb-1234567890-abc',
      'npm-token': `npm_${'e'.repeat(36)}`,
      jwt: `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`,
    }
    for (const [name, sample] of Object.entries(samples)) {
      expect(redactor.suspects(JSON.stringify({ sample }))).toBe(true)
      expect(redactor.text(`before ${sample} after`)).toBe(`before [redacted:${name}] after`)
    }
    const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----'
    expect(redactor.text(`a ${pem} b`)).toBe('a [redacted:private-key] b')
  })

  test('leave ordinary text alone', () => {
    const text = 'ask-me risk-free sk-8 eyJ npm_ hf_ task-list: disk-usage-of-all-the-machines-in-the-room'
    expect(redactor.text(text)).toBe(text)
  })
})

describe('the cheap question', () => {
  test('never says clean of what would be changed', () => {
    const secrets = fc.constantFrom('abcdefgh', 'abcdefgh-and', 'second line of', `ghp_${'z'.repeat(36)}`)
    fc.assert(
      fc.property(fc.string(), secrets, (text, secret) => {
        const value = { message: `${text}${secret}` }
        if (JSON.stringify(redactor.json(value)) !== JSON.stringify(value)) {
          expect(redactor.suspects(JSON.stringify(value))).toBe(true)
        }
      }),
    )
  })

  test('returns the very value when nothing is in it', () => {
    const value = { a: ['b', { c: 1 }] }
    expect(redactor.json(value)).toBe(value)
  })
})

describe('names of variables', () => {
  const value = 'canary-0123456789'
  const found = (name: string, held = value) => secretsOf({ [name]: held }).map(secret => secret.value)

  verifies(['attack/secret-names'], 'say that a value is a secret, and others do not', () => {
    const secret = [
      'MY_KEY',
      'SIGNING_KEY',
      'API_KEY',
      'GITHUB_PAT',
      'GCP_CREDENTIALS',
      'DB_CREDENTIAL',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_ACCESS_KEY_ID',
      'AWS_SESSION_TOKEN',
      'SSH_PASSPHRASE',
      'DB_PASSWD',
      'DB_PASS',
      'AZURE_STORAGE_CONNECTION_STRING',
      'TOKEN',
      'WEAVE_DEPLOY_KEY',
      'deploy_key',
      '--token',
    ]
    expect(secret.filter(name => found(name).length === 0)).toEqual([])
    const harmless = [
      'SSH_AUTH_SOCK',
      'SSH_KEY_PATH',
      'TLS_KEY_FILE',
      'KEYBOARD',
      'MONKEY',
      'COMPAT',
      'PATH',
      'PWD',
    ]
    expect(harmless.filter(name => found(name).length > 0)).toEqual([])
  })

  verifies(['attack/secret-names'], 'of paths to files that are there are no secrets', () => {
    expect(found('GOOGLE_APPLICATION_CREDENTIALS', import.meta.filename)).toEqual([])
    expect(found('SSH_KEY', './package.json')).toEqual([])
    expect(found('SSH_KEY', '/no/such/file')).toEqual(['/no/such/file'])
    // Decided long ago, and without a look at the disk.
    expect(found('MY_TOKEN', import.meta.filename)).toEqual([import.meta.filename])
  })

  verifies(['attack/secret-names'], 'do not matter for the password of an address', () => {
    expect(found('DATABASE_URL', 'postgres://app:p%40ss-word-1@db.local:5432/x')).toEqual([
      'p%40ss-word-1',
      'p@ss-word-1',
    ])
    expect(found('HTTPS_PROXY', 'http://:only-a-password@proxy:8080')).toEqual(['only-a-password'])
    expect(found('DOCS_URL', 'https://example.com/a:b@c')).toEqual([])
    expect(found('USER_URL', 'ssh://git@example.com:22/x')).toEqual([])
    const text = createRedactor(secretsOf({ DATABASE_URL: 'postgres://app:p%40ss-word-1@db/x' })).text
    expect(text('psql: p@ss-word-1 at db')).toBe('psql: [redacted:DATABASE_URL] at db')
    expect(text('postgres at db')).toBe('postgres at db')
  })
})

describe('a stream', () => {
  test('gives the redacted text of the whole, however it is cut', () => {
    const whole = 'begin abcdefgh-and-more middle first line of the key\nsecond line of the key end'
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), cuts => {
        const stream = redactor.stream()
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length]
        const pieces = at.slice(1).map((end, index) => stream.push(whole.slice(at[index], end)))
        const joined = [...pieces, stream.end()].join('')
        expect(joined).not.toContain('abcdefgh')
        expect(joined).not.toContain('second line')
        expect(joined.startsWith('begin [redacted:')).toBe(true)
        expect(joined.endsWith(' end')).toBe(true)
      }),
    )
  })

  test('holds back no more than a word', () => {
    const stream = redactor.stream()
    expect(stream.push('a whole line\nand a wo')).toBe('a whole line\nand a ')
    expect(stream.push('rd ')).toBe('word ')
    expect(stream.end()).toBe('')
  })
})
