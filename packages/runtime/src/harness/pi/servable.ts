/**
 * Providers that the SDK knows and that need more than a key: an account, a project, a deployment, a login. Our registry
 * knows their models only where a person added them.
 */
const needsMoreThanAKey: ReadonlySet<string> = new Set([
  'amazon-bedrock',
  'azure-openai-responses',
  'cloudflare-ai-gateway',
  'cloudflare-workers-ai',
  'github-copilot',
  'google-vertex',
  'openai-codex',
])

/**
 * Whether the SDK can serve the models of a provider. A model newer than its catalogue is served like the nearest one of
 * the same provider, and a provider that it does not know is asked in the dialect of chat completions at the address that
 * its variable gives; so nothing has to be loaded to tell.
 */
export function servable(provider: string): boolean {
  return !needsMoreThanAKey.has(provider)
}
