import type { AttachedSentinel } from '../hank/index.ts'

/** The events of sentinels, by what a person may turn off. */
const kinds = {
  'sentinel.loaded': 'lifecycle',
  'sentinel.unloaded': 'lifecycle',
  'sentinel.error': 'errors',
  'sentinel.output': 'outputs',
  'sentinel.triggered': 'triggers',
} as const

export type SentinelEventType = keyof typeof kinds

/** Whether clients hear of an event of this sentinel. The journal always does. The codon's settings win, one by one. */
export function isReported(
  type: SentinelEventType,
  { config, settings }: Pick<AttachedSentinel, 'config' | 'settings'>,
): boolean {
  const kind = kinds[type]
  return settings.reportToWebsocket?.[kind] ?? config.reportToWebsocket[kind]
}
