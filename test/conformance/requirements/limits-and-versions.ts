import type { RequirementTable } from '../requirement.ts'

/** Rules of parts 8 and 9: the limits as listed together, and what each release changed. */
export const limitsAndVersions = {
  // 8 Limits
  '8/hank-length': 'A `hank` array of one item is enough, and none is too few.',
  '8/loop-codons-length': 'A loop with one codon is enough, and none is too few.',
  '8/iteration-limit': 'An iteration limit of 1 is accepted; 0 and fractions are refused.',
  '8/retry-attempts': '`maxAttempts` accepts 1 and 10, refuses 0 and 11, and is 3 when left out.',
  '8/retry-delay': '`delayMs` accepts 0 and 60000, refuses -1 and 60001, and is 1000 when left out.',
  '8/max-extensions': '`maxExtensions` accepts 1, refuses 0 and fractions, and is 100 when left out.',
  '8/shim-idle-timeout':
    '`shimIdleTimeout` accepts 1 and 1800 and refuses 0 and 1801, on a codon and in hank overrides.',
  '8/shim-idle-timeout-fallback':
    'The idle fallback is 180 seconds for the SDK harness on vendor models and 120 seconds for other providers.',
  '8/idle-timeout': '`idleTimeout` accepts 0 and 255, refuses -1 and 256, and is 0 when left out.',
  '8/proxy-idle-timeout': 'The idle timeout of the proxy is 0.',
  '8/data-hash-time-limit': 'Hashing of data directories is limited to 5000 milliseconds by default.',
  '8/output-conflicts': 'The hundredth conflict of an output file is renamed and the next one is not.',
  '8/body-logging': 'A logged body that is no messages-API request ends after 500 characters.',
  '8/prompt-file-size': 'A prompt file of 1 MB loads silently and a larger one warns.',
  '8/budget-caps':
    'The budget caps are `maxDollars`, `maxTimeSeconds`, `maxOutputTokens` and `maxContextTokens`.',
  '8/budget-caps-per-iteration': 'Inside a loop the caps of a codon count per iteration.',
  '8/shares': 'A share of 1 is accepted, and one below 0 or above 1 is refused.',

  // 9 Versioning
  '9/meta-version-free':
    'Any semantic version of the author is accepted in `meta.version` and changes no behavior.',
  '9/server-version': '`server.ready` reports the version of the server in `serverVersion`.',
  '9/schemas-per-file-kind':
    'An editor schema is published for each of the hank file, the runtime file and the sentinel configuration.',
  '9/schema-address-tag': 'A schema address with a version or a latest tag is accepted in `$schema`.',
  '9/release-0.4.1': 'As of 0.4.1 `server.ready` can carry `proxyPort`.',
  '9/release-0.6.1':
    'As of 0.6.1 a codon `budget` takes `maxDollars`, `maxTimeSeconds`, `maxOutputTokens`, `maxContextTokens` and `onExceeded`.',
  '9/release-0.8.0-auto-compact': 'As of 0.8.0 `autoCompact` is false by default.',
  '9/release-0.8.0-shim-idle-timeout': 'As of 0.8.0 the range of `shimIdleTimeout` is enforced.',
  '9/release-0.9.0': 'As of 0.9.0 a failure in `outputFiles` copying or `beforeCopy` fails the run.',
  '9/release-0.10.0-root-schema':
    'As of 0.10.0 the root schema knows `requirements`, `globalSystemPromptFile` and `globalSystemPromptText`.',
  '9/release-0.10.0-file-references':
    'As of 0.10.0 the containment, symlink and file-type rules hold for file references.',
  '9/release-0.10.0-sentinel-references':
    'As of 0.10.0 references in a sentinel configuration resolve from the directory of its file.',
  '9/release-0.10.0-copy-tree-scan': 'As of 0.10.0 the whole `copy.from` tree is scanned.',
} as const satisfies RequirementTable
