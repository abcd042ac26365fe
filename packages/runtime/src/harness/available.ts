import { errorCode, messageOf } from '../kit/index.ts'
import { descriptorShortage } from './failure.ts'
import { type HarnessWord, installableHarnesses, installLine } from './installable.ts'

/** Why an SDK could not be loaded or its agent not be started, and what to do. */
export function launchFailure(word: HarnessWord, error: unknown): string {
  const { title } = installableHarnesses[word]
  const code = errorCode(error)
  const shortage = descriptorShortage(code)
  if (shortage !== undefined) return shortage
  if (code === 'ERR_MODULE_NOT_FOUND')
    return `The ${title} is not installed, or not whole. Install it: ${installLine(word)}`
  return word === 'pi' ? `The ${title} could not be started: ${messageOf(error)}` : messageOf(error)
}

/** Providers that need more than a key: an account, a project, a deployment. */
const needsMoreThanAKey: ReadonlySet<string> = new Set([
  'amazon-bedrock',
  'azure-openai-responses',
  'cloudflare-ai-gateway',
  'cloudflare-workers-ai',
  'google-vertex',
])

/**
 * Whether the Pi SDK can serve the models of a provider: one newer than its catalogue like the nearest, one of an unknown
 * provider by chat completions at the address of its variable. So nothing has to be loaded to tell.
 */
export function servable(provider: string): boolean {
  return !needsMoreThanAKey.has(provider)
}
