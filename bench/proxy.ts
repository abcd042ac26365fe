import { type ChildProcess, execFile, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { atLeast, atMost, type Figure } from './measure.ts'

/** One of the ways to the upstream. */
interface Way {
  readonly port: number
  readonly pid: number
}

const question = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_024,
  messages: [{ role: 'user', content: 'A question of about two thousand characters. '.repeat(44) }],
})
const headers =
  'Content-Type: application/json\r\nAccept: application/json\r\nAnthropic-Version: 2023-06-01\r\n' +
  'X-Api-Key: a-key-that-must-not-be-written-down\r\nUser-Agent: bench/1.0\r\n'
const request = (port: number, path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${headers}Content-Length: ${question.length}\r\n\r\n${question}`

/** The proxy against a bare `node:http` pipe and nginx (goal P6), with requests of 2 KB. Needs `nginx` and `wrk`. */
export async function proxyFigures(): Promise<readonly Figure[]> {
  for (const [program, flag] of [
    ['nginx', '-v'],
    ['wrk', '-v'],
  ] as const)
    if (spawnSync(program, [flag]).error)
      throw new Error(`Install ${program}: apt-get install -y nginx-light wrk`)
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  const children: ChildProcess[] = []
  try {
    const direct = await startOne(children, base, 'upstream', [])
    const pipe = await startOne(children, base, 'pipe', [String(direct.port)])
    const ours = await startOne(children, base, 'proxy', [String(direct.port), base])
    const nginx = await startNginx(children, base, direct.port)
    const ways = { direct, nginx, pipe, ours }
    for (const way of Object.values(ways)) await load(base, way, 4)
    return [
      ...(await latencyFigures(ways)),
      ...(await throughputFigures(base, ways)),
      await streamFigure(ways),
    ]
  } finally {
    for (const child of children) child.kill()
    rmSync(base, { recursive: true, force: true })
  }
}

type Ways = Readonly<Record<'direct' | 'nginx' | 'pipe' | 'ours', Way>>

async function latencyFigures(ways: Ways): Promise<readonly Figure[]> {
  const times = await rounds(7, ways, way => firstByte(way.port, 400))
  const { direct, nginx, pipe, ours } = times
  return [
    {
      id: 'P6 first byte',
      what: `added time to the first byte, p50 (direct ${us(direct)}, nginx +${us(nginx - direct)})`,
      unit: 'µs',
      subject: ours - direct,
      floor: pipe - direct,
      spread: '',
      goal: atMost(0.9),
    },
  ]
}

async function throughputFigures(base: string, ways: Ways): Promise<readonly Figure[]> {
  const cpu: Record<keyof Ways, number[]> = { direct: [], nginx: [], pipe: [], ours: [] }
  const rates = await rounds(5, ways, async (way, name) => {
    const before = cpuOf(way.pid)
    const { perSecond, requests } = await load(base, way, 2)
    cpu[name].push((cpuOf(way.pid) - before) / requests)
    return perSecond
  })
  const row = { unit: '/s', subject: rates.ours, spread: '' }
  const what = `requests at 16 connections (direct ${Math.round(rates.direct)}/s)`
  return [
    {
      ...row,
      id: 'P6 requests',
      what: `${what}, against a bare pipe`,
      floor: rates.pipe,
      goal: atLeast(1.3),
    },
    { ...row, id: 'P6 nginx', what: `${what}, against nginx`, floor: rates.nginx },
    {
      id: 'P6 processor',
      what: `processor time of a request, against a bare pipe (nginx ${us(middle(cpu.nginx))})`,
      unit: 'µs',
      subject: middle(cpu.ours),
      floor: middle(cpu.pipe),
      spread: '',
    },
  ]
}

async function streamFigure(ways: Ways): Promise<Figure> {
  const { direct, nginx, pipe, ours } = await rounds(9, ways, way => streamTime(way.port))
  return {
    id: 'P6 stream',
    what: `a stream of 1,000 events (direct ${us(direct)}, nginx ${us(nginx)})`,
    unit: 'µs',
    subject: ours,
    floor: pipe,
    spread: '',
    goal: atMost(0.75),
  }
}

/** All ways in turn, several times; the medians. What disturbs the machine disturbs all. */
async function rounds(
  count: number,
  ways: Ways,
  measure: (way: Way, name: keyof Ways) => Promise<number>,
): Promise<Readonly<Record<keyof Ways, number>>> {
  const all: Record<keyof Ways, number[]> = { direct: [], nginx: [], pipe: [], ours: [] }
  const names = Object.keys(all) as (keyof Ways)[]
  for (let round = 0; round < count; round++)
    for (const name of names) all[name].push(await measure(ways[name], name))
  return {
    direct: middle(all.direct),
    nginx: middle(all.nginx),
    pipe: middle(all.pipe),
    ours: middle(all.ours),
  }
}

/** Microseconds to the first byte of an answer, the median of many requests on one connection. */
async function firstByte(port: number, count: number): Promise<number> {
  const socket = await open(port)
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const began = process.hrtime.bigint()
    socket.write(request(port, '/v1/messages'))
    times.push(await answered(socket, began))
  }
  socket.destroy()
  return middle(times)
}

function answered(socket: Socket, began: bigint): Promise<number> {
  return new Promise(resolve => {
    let first = 0
    let text = ''
    const take = (bytes: Buffer): void => {
      first ||= Number(process.hrtime.bigint() - began) / 1_000
      text += bytes.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? Number.NaN)
      if (end === -1 || !(text.length >= end + 4 + length)) return
      socket.off('data', take)
      resolve(first)
    }
    socket.on('data', take)
  })
}

/** Microseconds until a stream was there to its end, the median of many. */
async function streamTime(port: number): Promise<number> {
  const socket = await open(port)
  const times: number[] = []
  for (let n = 0; n < 40; n++) {
    const began = process.hrtime.bigint()
    await new Promise<void>(resolve => {
      let last: Buffer = Buffer.alloc(0)
      const take = (bytes: Buffer): void => {
        last = bytes.length >= 5 ? bytes.subarray(-5) : Buffer.concat([last, bytes]).subarray(-5)
        if (last.toString('latin1') !== '0\r\n\r\n') return
        socket.off('data', take)
        resolve()
      }
      socket.on('data', take)
      socket.write(request(port, '/stream'))
    })
    times.push(Number(process.hrtime.bigint() - began) / 1_000)
  }
  socket.destroy()
  return middle(times)
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

async function load(base: string, { port }: Way, seconds: number) {
  const script = join(base, 'post.lua')
  const lines = headers
    .trimEnd()
    .split('\r\n')
    .map(line => line.split(': ') as [string, string])
  const fields = lines.map(([name, value]) => `wrk.headers[${JSON.stringify(name)}]=${JSON.stringify(value)}`)
  writeFileSync(script, `wrk.method="POST"\n${fields.join('\n')}\nwrk.body=${JSON.stringify(question)}\n`)
  const words = ['-t1', '-c16', `-d${seconds}`, '-s', script, `http://127.0.0.1:${port}/v1/messages`]
  const { stdout } = await promisify(execFile)('wrk', words)
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  return { requests, perSecond: Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]) }
}

async function startOne(
  children: ChildProcess[],
  base: string,
  name: string,
  words: readonly string[],
): Promise<Way> {
  const outfile = join(base, `${name}.mjs`)
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    entryPoints: [
      new URL(`../packages/runtime/test/proxy/fixtures/bench-${name}.ts`, import.meta.url).pathname,
    ],
    outfile,
    conditions: ['weave-source'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  const child = fork(outfile, words, { execArgv: [] })
  children.push(child)
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  return { port, pid: child.pid ?? 0 }
}

/** nginx as people set it up in front of a model API: connections kept, nothing held back. */
async function startNginx(children: ChildProcess[], base: string, upstream: number): Promise<Way> {
  const port = await freePort()
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${base}/${name};`,
  )
  const config = join(base, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; master_process off; worker_processes 1; pid ${base}/nginx.pid; error_log ${base}/error.log;
events { worker_connections 1024; }
http { access_log off; ${places.join(' ')}
  upstream model { server 127.0.0.1:${upstream}; keepalive 64; }
  server { listen 127.0.0.1:${port};
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }
`,
  )
  const child = spawn('nginx', ['-c', config], { stdio: 'ignore' })
  children.push(child)
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return { port, pid: child.pid ?? 0 }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Microseconds of processor time that a process has used, its own and the system's for it; in ticks of 10 ms. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return 10_000 * (Number(fields[11]) + Number(fields[12]))
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function us(value: number): string {
  return `${Math.round(value)} µs`
}
