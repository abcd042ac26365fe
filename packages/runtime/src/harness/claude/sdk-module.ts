/** The part of the SDK that is used here. The package is optional and heavy, so nothing of it is loaded before it is needed. */
export type SdkModule = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query'>

/**
 * Rejects when the package is not there or does not load. To choose its program the SDK asks Node for a report, which would
 * look up the name of every open connection.
 */
export function loadSdk(): Promise<SdkModule> {
  Object.assign(process.report, { excludeNetwork: true })
  return import('@anthropic-ai/claude-agent-sdk')
}
