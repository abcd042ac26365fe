import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { McpServerConfig, Options } from '@anthropic-ai/claude-agent-sdk'
import { fieldsOf, isObject } from '../../kit/index.ts'

/** What the agent finds in its workspace besides the work: instructions, settings, skills, agents, commands, servers. */
export interface WorkspaceWords {
  readonly options: Pick<Options, 'settingSources' | 'settings' | 'strictMcpConfig' | 'mcpServers'>
  /** Instructions that its program does not read by itself. */
  readonly instructions?: string | undefined
  /** Equal as long as nothing of it changes: a program that was started before a change must not be used after it. */
  readonly fingerprint: string
}

export interface WordsOptions {
  readonly cwd: string
  /** The directory at which the program stops to look for files above the workspace. */
  readonly userHome: string | undefined
  /** The person's own settings count, too. */
  readonly userSettings: boolean
}

/**
 * Only what lies in the workspace is read. The program would also look above it: memory files there are named as excluded,
 * servers are read here instead, and where folders of settings lie above it reads no project at all.
 */
export function workspaceWords({ cwd, userHome, userSettings }: WordsOptions): WorkspaceWords {
  const above = directoriesAbove(cwd)
  const own = userSettings ? (['user'] as const) : []
  const isAlone = settingsAbove(cwd, userHome).length === 0
  const servers = isAlone ? serversIn(join(cwd, '.mcp.json')) : {}
  const excluded = above.flatMap(folder => memoryFiles.map(name => join(literal(folder), name)))
  const instructions = hasClaudeFile(cwd) ? undefined : readSmall(join(cwd, 'AGENTS.md'))
  return {
    options: {
      settingSources: isAlone ? [...own, 'project', 'local'] : [...own],
      settings: { claudeMdExcludes: excluded, skipWebFetchPreflight: true },
      strictMcpConfig: true,
      mcpServers: servers,
    },
    instructions: instructions === '' ? undefined : instructions,
    fingerprint: fingerprintOf(cwd),
  }
}

const memoryFiles = ['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.claude/CLAUDE.md', '.claude/rules/**']

/** Folders above a workspace from which the program would take agents, skills and commands. */
export function settingsAbove(cwd: string, userHome: string | undefined): readonly string[] {
  const above = directoriesAbove(cwd)
  const end = userHome === undefined ? -1 : above.indexOf(userHome)
  const looked = end === -1 ? above : above.slice(0, end)
  return looked.map(folder => join(folder, '.claude')).filter(isThere)
}

function directoriesAbove(cwd: string): readonly string[] {
  const all: string[] = []
  for (let folder = dirname(cwd); ; folder = dirname(folder)) {
    all.push(folder)
    if (folder === dirname(folder)) return all
  }
}

/** A path as a pattern that matches just it. */
function literal(path: string): string {
  return path.replaceAll(/[*?[\]{}()!+@|\\]/g, '\\$&')
}

function hasClaudeFile(cwd: string): boolean {
  return ['CLAUDE.md', '.claude/CLAUDE.md'].some(name => isThere(join(cwd, name)))
}

/** The program fills in variables by itself. */
function serversIn(file: string): Readonly<Record<string, McpServerConfig>> {
  try {
    const servers = fieldsOf(fieldsOf(JSON.parse(readSmall(file)))['mcpServers'])
    const known = Object.entries(servers).filter(([, server]) => isObject(server))
    return Object.fromEntries(known) as Readonly<Record<string, McpServerConfig>>
  } catch {
    return {}
  }
}

const mostBytes = 1 << 20

/** '' for what is no regular file of bearable size: the agent may have put anything there. */
function readSmall(path: string): string {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(descriptor, 'utf8') : ''
  } catch {
    return ''
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

const mostEntries = 2_000

function fingerprintOf(cwd: string): string {
  const marks: string[] = []
  const note = (name: string): void => {
    const stats = lstatSync(join(cwd, name), { throwIfNoEntry: false })
    if (!stats) return
    marks.push(`${name} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`)
    if (!stats.isDirectory() || marks.length > mostEntries) return
    for (const entry of readdirSync(join(cwd, name)).sort()) note(join(name, entry))
  }
  try {
    for (const name of ['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.mcp.json', '.claude']) note(name)
  } catch {
    // Someone changes it just now: nothing that was started before may be used.
    return `${marks.join('\n')} ${performance.now()}`
  }
  return marks.join('\n')
}
