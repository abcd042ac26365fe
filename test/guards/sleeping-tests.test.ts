import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Node, parseSync, visitorKeys } from 'oxc-parser'
import { expect, it } from 'vitest'

/**
 * A test that sleeps so that something else has happened fails on a slow machine and wastes time on a fast one. Allowed is to
 * look again and again, in a loop, and to wait for a computed time, as suites do that kill at random moments.
 */
function sleepsIn(file: string, text: string): readonly string[] {
  const found: string[] = []
  const look = (node: Node, inLoop: boolean): void => {
    if (node.type === 'AwaitExpression' && !inLoop && isFixedSleep(node.argument))
      found.push(`${file}:${text.slice(0, node.start).split('\n').length}`)
    const inside = loops.has(node.type) || (inLoop && !functions.has(node.type))
    for (const child of childrenOf(node)) look(child, inside)
  }
  look(parseSync(file, text).program, false)
  return found
}

const loops = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement', 'ForOfStatement'])
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const sleepers = /^(?:set[A-Z]\w*|sleep|delay|pause)$/

function childrenOf(node: Node): readonly Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>
  return (visitorKeys[node.type] ?? [])
    .flatMap(key => fields[key])
    .filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child)
}

/** `setTimeout(20)`, or a promise that one of these fulfils. */
function isFixedSleep(node: Node): boolean {
  if (node.type === 'NewExpression') return childrenOf(node).some(hasFixedTimer)
  return isFixedTimer(node)
}

function hasFixedTimer(node: Node): boolean {
  return isFixedTimer(node) || childrenOf(node).some(hasFixedTimer)
}

function isFixedTimer(node: Node): boolean {
  if (node.type !== 'CallExpression') return false
  const { callee } = node
  const name =
    callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? lastName(callee) : ''
  return (
    sleepers.test(name) &&
    node.arguments.some(each => each.type === 'Literal' && typeof each.value === 'number')
  )
}

function lastName({ property }: Extract<Node, { type: 'MemberExpression' }>): string {
  return property.type === 'Identifier' ? property.name : ''
}

/** Where the passing of time is itself what is tested: a clock, an engine that is away, a silence of a minute, an idle connection. */
const aboutTime: readonly string[] = [
  'packages/runtime/test/kit/clock.test.ts',
  'packages/runtime/test/kit/clock.test.ts',
  'test/e2e/lost-lock.test.ts',
  'test/e2e/proxy.test.ts',
]

it('no test sleeps for a fixed time to let something happen', () => {
  const files = execFileSync('git', ['ls-files', 'test/**/*.ts', 'packages/*/test/**/*.ts'], {
    encoding: 'utf8',
  })
  const found = files
    .trim()
    .split('\n')
    .filter(file => !/\/fixtures\//.test(file))
    .flatMap(file => sleepsIn(file, readFileSync(file, 'utf8')))
  expect(
    found.map(place => place.replace(/:\d+$/, '')),
    found.join('\n'),
  ).toEqual(aboutTime)
})

it.each([
  ['await setTimeout(20)', 1],
  ['await new Promise(resolve => setTimeout(resolve, 20))', 1],
  ['await clock.sleep(20)', 1],
  ['while (!there()) await setTimeout(20)', 0],
  ['for (const each of all) { await setTimeout(20) }', 0],
  ['for (const each of all) run(async () => { await setTimeout(20) })', 1],
  ['await setTimeout(whole * part)', 0],
  ['setTimeout(() => end(), 20)', 0],
] as const)('%s counts %i', (text, count) => {
  expect(sleepsIn('a.ts', text)).toHaveLength(count)
})
