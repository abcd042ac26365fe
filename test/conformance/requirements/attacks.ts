import type { RequirementTable } from '../requirement.ts'

/** What an attack on the built command must not achieve; each test is the attack. */
export const attacks = {
  'attack/closed-peer-is-nobody':
    'A peer whose socket is closed when its user is looked up is refused, on both ports.',
  'attack/proxy-other-user':
    'A request of another user at the port of the proxy is refused and forwarded to nobody.',
  'attack/proxy-foreign-page':
    'A page of another origin gets nothing from the port of the proxy and sends nothing through it.',
  'attack/archive-power-cut': 'Archived files are whole after a power cut that follows `codon.completed`.',
  'attack/archive-digest':
    'An archived file whose bytes differ from its record is named when it is restored.',
  'attack/rollback-power-cut': 'A rollback that was told is complete after a power cut.',
  'attack/finished-power-cut':
    'Files and outputs of a hank that was told to be done are whole after a power cut.',
  'attack/lost-lock-writes-nothing':
    'A server that lost its lock while it stood still writes nothing more when it wakes, says why, and ends with all its processes.',
  'attack/lost-lock-spares-successor': 'A server that lost its lock ends no process of its successor.',
  'attack/two-writers-repaired':
    'A journal with lines of two writers is read with a clear message and repaired without losing either.',
  'attack/undo-killed-archiving':
    'An undo killed anywhere, its archive step included, ends exactly before or exactly after.',
  'attack/redaction-linear': 'Redaction of any text takes time linear in its length.',
  'attack/silent-strangers':
    'Silent connections give their places back: a new client is in within seconds whatever strangers do.',
  'attack/descriptors-reserved':
    'Connections cannot use up the descriptors that a run needs, and EMFILE is named where it happens.',
  'attack/proxy-limits':
    'The proxy limits callers, unfinished heads and held bodies, and interim answers wait for a slow caller.',
  'attack/usage-missing':
    'Usage that is missing, negative, no number or absurd is an unknown cost, never a known zero, and a dollar limit on it is said.',
  'attack/journal-gone':
    'An execution whose journal is gone or empty does not start over: it is refused with a cure.',
  'attack/journal-gap': 'Lines that are missing in the middle of a journal are reported.',
  'attack/read-only-directory':
    'Directories that an agent made read-only stop neither retry nor recovery nor rollback.',
  'attack/mount-point': 'A mount point below the workspace never leaves a rollback half done.',
  'attack/terminal-controls': 'Whatever the command prints, control characters from outside are spelled out.',
  'attack/token-hidden': '`--token` stands in no process list and in no record.',
  'attack/secret-names':
    'Values of `*_KEY`, `*_PAT`, `*_CREDENTIALS` and of the common cloud variables are redacted.',
  'attack/connection-content-length':
    'An upstream that names `Content-Length` in `Connection` cannot shift the border between two answers.',
  'attack/strange-journal': 'A journal that is a directory or a FIFO hangs and breaks no command.',
  'attack/deep-directory':
    'A pattern with a fixed part is walked from there, however deep other directories are.',
  'attack/hidden-orphan':
    'A process without our marker in its own session is ended when its working directory is in the workspace.',
  'attack/worker-descriptors': 'EMFILE in the process of an agent is named as such.',
  'attack/id-control-characters': 'A codon id with a control character is a load error.',
  'attack/read-only-disk': '`weave checkpoints` works on a disk that cannot be written.',
  'attack/store-gone': 'A store of checkpoints that is gone is noticed before a codon is paid for.',
  'attack/private-files':
    'Everything below `.weave` is 0700 or 0600 from birth, also what agents and git write there; what the program of the SDK harness makes with the umask of the workspace lies in a directory that is private from birth and is made private at the end of its codon, and what is on its way into the workspace has the mode of its target in such a directory.',
} as const satisfies RequirementTable
