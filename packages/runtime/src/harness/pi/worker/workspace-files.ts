import { accessSync, constants, lstatSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ResourceLoader } from '@earendil-works/pi-coding-agent'
import { readRegularFile } from '../../../files/index.ts'
import type { AgentTask } from '../worker-protocol.ts'

const mostBytes = 1 << 20
/** As the SDK has it: the first that is there. */
const instructionFiles = ['AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD']
const skillFolders = ['.pi/skills', '.agents/skills', '.claude/skills']

/**
 * What the agent finds in its workspace besides the work: instructions and skills. Nothing is looked for above it or in the
 * home of the person, and no code of extensions is loaded.
 */
export async function workspaceFiles(
  { loadSkillsFromDir }: Pick<typeof import('@earendil-works/pi-coding-agent'), 'loadSkillsFromDir'>,
  { cwd }: Pick<AgentTask, 'cwd'>,
): Promise<Pick<ResourceLoader, 'getAgentsFiles' | 'getSkills'>> {
  const agentsFiles = await instructionsIn(cwd)
  const loaded = skillFolders.map(name => join(cwd, name)).filter(isFolder)
  const found = loaded.map(dir => loadSkillsFromDir({ dir, source: 'project' }))
  const skills = found.flatMap(each => each.skills)
  const diagnostics = found.flatMap(each => each.diagnostics)
  return { getAgentsFiles: () => ({ agentsFiles }), getSkills: () => ({ skills, diagnostics }) }
}

async function instructionsIn(cwd: string) {
  for (const name of instructionFiles) {
    const path = join(cwd, name)
    const read = await readRegularFile(path, { maxBytes: mostBytes })
    if (read.ok) return [{ path, content: read.bytes.toString('utf8') }]
  }
  return []
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The program that a tool needs, by one of its names. The SDK would fetch a missing one from the network. */
const programs: Readonly<Record<string, readonly string[]>> = { grep: ['rg'], find: ['fd', 'fdfind'] }
const allTools = ['read', 'bash', 'edit', 'write', 'ls', 'grep', 'find']

/** All that can work here, less what the operator does not want. */
export function toolsFor({ tools, env }: Pick<AgentTask, 'tools' | 'env'>): readonly string[] {
  const { allow = allTools, deny = [] } = tools ?? {}
  const folders = (env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '')
  const isThere = (program: string) => folders.some(folder => isProgram(join(folder, program)))
  const works = (tool: string) => programs[tool]?.some(isThere) ?? true
  return allTools.filter(tool => allow.includes(tool) && !deny.includes(tool) && works(tool))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
