import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import type { Diagnostic } from 'vscode-languageserver/node'

/** The scripted fake of an editor: speaks LSP with `weave lsp --stdio` over its standard streams. */
export interface Editor {
  request<Answer = unknown>(method: string, params?: object): Promise<Answer>
  notify(method: string, params?: object): void
  open(path: string, text: string): void
  change(path: string, text: string): void
  /** What was last told about a file, once it was told since the last change of any. */
  diagnostics(path: string): Promise<readonly Diagnostic[]>
  /** Hears of everything that is told about any file. */
  onDiagnostics(heard: () => void): void
  /** Shutdown and exit; the code of the process. */
  close(): Promise<number | null>
  /** Exit without a shutdown. */
  exit(): Promise<number | null>
  /** Goes away without a word. */
  hangUp(): Promise<number | null>
  readonly pid: number
  readonly stderr: () => string
}

interface Waiting {
  readonly path: string
  readonly done: (found: readonly Diagnostic[]) => void
}

export interface EditorOptions {
  readonly command: readonly [string, ...string[]]
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  readonly initializationOptions?: object
}

export async function startEditor(options: EditorOptions): Promise<Editor> {
  const [program, ...words] = options.command
  const child = spawn(program, [...words, 'lsp', '--stdio'], {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>(done => child.once('exit', code => done(code)))
  let stderr = ''
  child.stderr.on('data', (more: Buffer) => {
    stderr += more.toString()
  })
  const answers = new Map<number, { done(value: unknown): void; failed(error: Error): void }>()
  const told = new Map<string, readonly Diagnostic[]>()
  const waiting: Waiting[] = []
  const versions = new Map<string, number>()
  const hearing: (() => void)[] = []
  let asked = 0

  const send = (message: object): void => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    child.stdin.write(body)
  }
  readMessages(child.stdout, message => {
    if (message.method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = message.params as { uri: string; diagnostics: Diagnostic[] }
      told.set(uri, diagnostics)
      for (const heard of hearing) heard()
      for (const one of waiting.splice(0).filter(keep)) waiting.push(one)
      function keep({ path, done }: Waiting): boolean {
        if (addressOf(path) !== uri) return true
        done(diagnostics)
        return false
      }
    } else if (message.id !== undefined && message.method !== undefined) {
      send({ id: message.id, result: null })
    } else if (message.id !== undefined) {
      const one = answers.get(message.id)
      answers.delete(message.id)
      if (message.error) one?.failed(new Error(message.error.message))
      else one?.done(message.result)
    }
  })

  const request = <Answer>(method: string, params: object = {}): Promise<Answer> => {
    const id = ++asked
    send({ id, method, params })
    return new Promise((done, failed) => answers.set(id, { done: value => done(value as Answer), failed }))
  }
  const notify = (method: string, params: object = {}) => send({ method, params })
  await request('initialize', {
    processId: process.pid,
    rootUri: addressOf(options.cwd),
    capabilities: { workspace: { inlayHint: { refreshSupport: true } } },
    initializationOptions: options.initializationOptions,
  })
  notify('initialized')

  return {
    pid: child.pid ?? 0,
    request,
    notify,
    stderr: () => stderr,
    open(path, text) {
      told.clear()
      versions.set(path, 1)
      const textDocument = { uri: addressOf(path), languageId: 'json', version: 1, text }
      notify('textDocument/didOpen', { textDocument })
    },
    change(path, text) {
      told.clear()
      const version = (versions.get(path) ?? 1) + 1
      versions.set(path, version)
      const textDocument = { uri: addressOf(path), version }
      notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] })
    },
    diagnostics(path) {
      const known = told.get(addressOf(path))
      return known ? Promise.resolve(known) : new Promise(done => waiting.push({ path, done }))
    },
    onDiagnostics(heard) {
      hearing.push(heard)
    },
    exit() {
      notify('exit')
      return ended
    },
    hangUp() {
      child.stdin.end()
      return ended
    },
    async close() {
      await request('shutdown')
      notify('exit')
      return ended
    },
  }
}

export function addressOf(path: string): string {
  return pathToFileURL(path).href
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

function readMessages(stream: NodeJS.ReadableStream, found: (message: Message) => void): void {
  let rest = Buffer.alloc(0)
  stream.on('data', (more: Buffer) => {
    rest = Buffer.concat([rest, more])
    for (;;) {
      const head = rest.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, head).toString())?.[1])
      const end = head + 4 + length
      if (rest.length < end) return
      const message = JSON.parse(rest.subarray(head + 4, end).toString()) as Message
      rest = rest.subarray(end)
      found(message)
    }
  })
}
