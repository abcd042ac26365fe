import type { RequirementTable } from '../requirement.ts'

/** Rules of part 5: access levels and provider credentials. */
export const authentication = {
  // 5 Authentication
  '5/mode-chosen-in-handshake':
    'The access level of a client is the `mode` of its handshake, confirmed in the response.',
  '5/no-credential-in-handshake': 'A handshake is accepted without any credential.',
  '5/readonly-commands':
    'A `readonly` client may send `checkpoint.list`, `history.sync`, `ping`, `ping.broadcast` and `server.shutdown`.',
  '5/readonly-receives-events': 'A `readonly` client receives events.',
  '5/readandwrite-commands': 'A `readandwrite` client may send every command.',
  '5/readandwrite-receives-events': 'A `readandwrite` client receives events.',
  '5/proxy-unauthenticated': 'The proxy asks its callers for no credential.',
  '5/codon-keys': 'Codon calls take their key from `<PROVIDER>_API_KEY`, for four providers.',
  '5/codon-gemini-key': 'The Google-type provider also accepts `GEMINI_API_KEY`.',
  '5/sentinel-keys':
    'Sentinel calls take their key from `WEAVE_SENTINEL_<PROVIDER>_API_KEY`, for three providers.',
  '5/sentinel-key-first': 'A sentinel key is used before the standard variable.',
  '5/sentinel-key-fallback': 'Without a sentinel key the standard variable is used.',
  '5/secrets-not-in-examples': 'Configuration examples show `<API_KEY>` and never a real key.',
} as const satisfies RequirementTable
