import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { admitFirst, createAdmission, createOriginCheck, listen } from '@weave/runtime'
import { FleetFault } from '../fault.ts'
import type { MetricsAddress } from './address.ts'

export interface MetricsDoor {
  readonly port: number
  close(): void
}

const mostConnections = 32
const path = '/metrics'
const timeouts = { requireHostHeader: false, headersTimeout: 10_000, requestTimeout: 10_000 } as const

/** A page for scrapers. It is made when somebody asks for it; nothing of what they send is read but where they come from. */
export async function openMetricsDoor(
  { host, port }: MetricsAddress,
  page: () => Promise<string>,
): Promise<MetricsDoor> {
  const opened = await listen({ port, host, create: () => createServer(timeouts) })
  if (!opened.ok)
    throw new FleetFault('FLEET_METRICS', {
      message: `Nobody can be answered at ${host ?? 'localhost'}:${port} (${opened.code}).`,
      cure: 'Name another address with --metrics.',
    })
  const mayAsk = host === undefined ? ofThisMachine(opened.port) : ofNoPage
  const admission = createAdmission({
    most: mostConnections,
    // A scraper is a user of its own, and the page has nothing that others of this machine may not know.
    isOneOfUs: () => Promise.resolve(true),
    onRefused: () => undefined,
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const status = refusalOf(request, mayAsk)
    if (status !== undefined) {
      response.writeHead(status, { connection: 'close', 'content-length': '0' }).end()
      return
    }
    const text = await page()
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : text)
  }
  for (const server of opened.servers) {
    admitFirst(server, admission)
    server.on('request', (request, response) => {
      answer(request, response).catch(() => response.destroy())
    })
  }
  return {
    port: opened.port,
    close() {
      for (const server of opened.servers) server.close()
      admission.close()
    },
  }
}

/** All values of a header, by its name in small letters. */
type ValuesOf = (name: string) => readonly string[]

function refusalOf(request: IncomingMessage, mayAsk: (valuesOf: ValuesOf) => boolean): number | undefined {
  const { rawHeaders, method, url = '' } = request
  const valuesOf: ValuesOf = name =>
    rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
  if (!mayAsk(valuesOf)) return 403
  if (method !== 'GET' && method !== 'HEAD') return 405
  return url.split('?')[0] === path ? undefined : 404
}

function ofThisMachine(port: number): (valuesOf: ValuesOf) => boolean {
  const check = createOriginCheck({ port })
  return valuesOf => check(valuesOf) === undefined
}

/** By which name a scraper reaches another machine nobody knows here, so `Host` says nothing; pages say where they are from. */
function ofNoPage(valuesOf: ValuesOf): boolean {
  const sites = valuesOf('sec-fetch-site')
  return valuesOf('origin').length === 0 && sites.every(site => site === 'none')
}
