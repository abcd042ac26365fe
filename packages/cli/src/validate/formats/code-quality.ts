import { inertJson } from './inert-json.ts'
import type { Verdict } from './verdict.ts'

/** Problems as GitLab shows them beside a merge request. */
export function codeQualityText(verdicts: readonly Verdict[]): string {
  const issues = verdicts
    .flatMap(({ problems }) => problems)
    .filter(({ isKnown }) => !isKnown)
    .map(({ code, severity, where, message, file, place, end, fingerprint }) => ({
      description: where === '' ? message : `${where}: ${message}`,
      check_name: code,
      fingerprint,
      severity: severity === 'error' ? 'major' : 'minor',
      location: { path: file, lines: { begin: place?.line ?? 1, ...(end && { end: end.line }) } },
    }))
  return inertJson(issues)
}
