/** Sends a text that is JSON. Resolves when the other side has answered, whatever it said; rejects when it has not. */
export async function postJson(address: string, body: string, signal: AbortSignal): Promise<void> {
  const { request } = address.startsWith('https:') ? await import('node:https') : await import('node:http')
  await new Promise<void>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    // A connection of its own, closed at once: nothing is left that could hold up the end of the program.
    const sent = request(address, { method: 'POST', headers, agent: false, signal }, response => {
      response.resume()
      response.on('error', reject)
      response.on('end', resolve)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
