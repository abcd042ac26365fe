import { request } from 'node:http'
import type { LinkRequest, WebLink } from 'weave-client'
import type { HubRecord } from './record.ts'

const longestAnswerMs = 5_000

/** A link of the hub that runs. Rejects with words for a person. */
export function askForLink({ port, ownerKey }: HubRecord, wish: LinkRequest): Promise<WebLink> {
  const body = JSON.stringify(wish)
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        path: '/api/links',
        method: 'POST',
        timeout: longestAnswerMs,
        headers: { authorization: `Bearer ${ownerKey}`, 'content-length': Buffer.byteLength(body) },
      },
      response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', part => {
          text += part
        })
        response.on('end', () => {
          const answer = parsed(text)
          if (response.statusCode === 200 && isLink(answer)) resolve(answer)
          else reject(new Error(messageIn(answer) ?? `The hub on port ${port} did not give a link.`))
        })
      },
    )
    asking.on('timeout', () => asking.destroy(new Error('it does not answer')))
    asking.on('error', error =>
      reject(new Error(`The hub on port ${port} cannot be asked: ${error.message}.`)),
    )
    asking.end(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isLink(value: unknown): value is WebLink {
  return typeof value === 'object' && value !== null && 'url' in value && typeof value.url === 'string'
}

function messageIn(value: unknown): string | undefined {
  const isError = typeof value === 'object' && value !== null && 'message' in value
  return isError && typeof value.message === 'string' ? value.message : undefined
}
