/** The part of the SDK that is used here. The package is optional and heavy, so nothing of it is loaded before it is needed. */
export type SdkModule = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query'>

/** Rejects when the package is not there or does not load. */
export function loadSdk(): Promise<SdkModule> {
  return import('@anthropic-ai/claude-agent-sdk')
}
