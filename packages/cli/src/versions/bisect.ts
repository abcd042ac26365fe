import { basename } from 'node:path'
import {
  type BisectCheck,
  type Bisected,
  bisect,
  bisectDetails,
  changesIn,
  laterFile,
  type ReadPlace,
  readPlace,
  systemClock,
  type ThreadVersion,
  versionLabel,
  versionName,
  versionPlace,
} from '@weave/runtime'
import { dollarsText, harmlessLine } from 'weave-client'
import { shellWord } from '../go-on.ts'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural, type Terminal } from '../terminal.ts'
import { untilSignal } from './until-signal.ts'

/** `weave bisect [execution] -- <command>`: finds the checkpoint with which a command begins to fail. */
export async function bisectCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const wish = wishOf(args)
  if (typeof wish === 'string') {
    terminal.error(wish)
    return exitCodes.usage
  }
  return untilSignal(signal => bisectUntil(signal, { wish, args, terminal }))
}

interface Asked {
  readonly wish: Wish
  readonly args: Arguments
  readonly terminal: Terminal
}

async function bisectUntil(signal: AbortSignal, { wish, args, terminal }: Asked): Promise<ExitCode> {
  const chosen = await chooseExecution(args, terminal, { word: wish.word })
  if (!chosen.ok) return chosen.code
  const { layout } = chosen
  const read = await readPlace({ layout, environment: process.env, clock: systemClock })
  if (!read.ok) {
    terminal.error(`${read.message}\n${read.cure}`)
    return exitCodes.failed
  }
  const { place } = read
  const isJson = args.switches.has('json')
  const onCheck = (check: BisectCheck): void => {
    if (!isJson) terminal.out(checkLine(check))
  }
  const result = await bisect(place, { ...wish, signal, onCheck })
  if (!result.ok) {
    terminal.error(result.message)
    return exitCodes.usage
  }
  if (isJson) terminal.json(JSON.stringify(await asJson(result.found, place), null, 2))
  else for (const line of await lastLines(result.found, place)) terminal.out(line)
  return result.found.outcome.kind === 'found' ? exitCodes.done : exitCodes.failed
}

type Wish = Omit<Parameters<typeof bisect>[1], 'signal' | 'onCheck'> & { readonly word?: string | undefined }

/** What is asked for, or what is wrong with the words. */
function wishOf({ positionals, rest = [], lists = {}, switches, texts }: Arguments): Wish | string {
  const [word, more] = positionals.slice(0, positionals.length - rest.length)
  if (rest.length === 0 || more !== undefined)
    return 'Say what to run after two dashes: weave bisect [execution] -- <command> [args], such as: weave bisect -- npm test'
  const repeat = Number(texts.repeat ?? '1')
  if (!Number.isInteger(repeat) || repeat < 1 || repeat > mostRepeats)
    return `--repeat takes a whole number from 1 to ${mostRepeats}; found ${texts.repeat}`
  const timeout = texts['bisect-timeout']
  const seconds = timeout === undefined ? undefined : Number(timeout)
  if (seconds !== undefined && !(seconds > 0 && seconds <= longestTimeout))
    return `--timeout takes a number of seconds; found ${timeout}`
  return {
    word,
    command: rest,
    links: lists.link ?? [],
    setup: texts.setup,
    repeat,
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    good: texts.good,
    bad: texts.bad,
    rigs: switches.has('rigs'),
    completedOnly: switches.has('completed-only'),
    all: switches.has('bisect-all'),
  }
}

const mostRepeats = 1000
const longestTimeout = 86_400

function checkLine({ version, verdict, reason, durationMs }: BisectCheck): string {
  const why = reason === '' ? '' : ` (${reason})`
  return `${verdict.padEnd(4)}  ${versionLabel(version)}  ${secondsText(durationMs)}${why}`
}

function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

async function lastLines(found: Bisected, place: ReadPlace): Promise<readonly string[]> {
  const { outcome, versions, verdicts, checks, durationMs } = found
  const spent = `${plural(checks.length, 'check')}, ${secondsText(durationMs)}`
  const label = (at: number): string => (versions[at] ? versionLabel(versions[at]) : '')
  const changes = changesIn(verdicts)
  const notMonotonic =
    changes > 1 ? [`The verdict changes ${changes} times in the row: this is one of the changes.`] : []
  switch (outcome.kind) {
    case 'found': {
      const [good, bad] = [versions[outcome.good], versions[outcome.bad]]
      if (!good || !bad) return []
      return [
        `The first bad checkpoint is ${versionLabel(bad)}; ${versionPlace(good)} is good.   ${spent}`,
        ...notMonotonic,
        await detailLine(found, place),
        ...(await advice(good, bad, place)),
      ]
    }
    case 'range': {
      const left = versions.slice(outcome.good + 1, outcome.bad + 1).map(versionLabel)
      return [
        `Only skipped checkpoints are left. The first bad one is one of:   ${spent}`,
        ...left.map(each => `  ${each}`),
      ]
    }
    case 'bad-at-beginning':
      return [
        outcome.at === 0
          ? 'The command fails at the beginning, too: nothing to find.'
          : `The command fails at ${label(outcome.at)}, too, the first that it did not skip: nothing to find.`,
        ...(await laterLines(found, place)),
      ]
    case 'good-at-end':
      return [
        outcome.at === versions.length - 1
          ? 'The command succeeds at the end, too: nothing to find.'
          : `The command succeeds at ${label(outcome.at)}, too, the last that it did not skip: nothing to find.`,
        ...notMonotonic,
      ]
    case 'all-skipped':
      return ['Every checkpoint was skipped: nothing to find.']
  }
}

/** Where the search may have to begin when a file that the command needs came later. */
async function laterLines(found: Bisected, place: ReadPlace): Promise<readonly string[]> {
  const later = await laterFile(found, place)
  if (!later) return []
  const { path, version } = later
  return [
    `${harmlessLine(path)} is in no checkpoint before ${versionPlace(version)}; --good ${shellWord(versionName(version))} may help.`,
  ]
}

const mostFiles = 3

async function detailLine(found: Bisected, place: ReadPlace): Promise<string> {
  const { record, run, files } = await bisectDetails(found, place)
  const sum = (lines: 'additions' | 'deletions') => files.reduce((all, file) => all + (file[lines] ?? 0), 0)
  const names = files.slice(0, mostFiles).map(({ path }) => harmlessLine(path))
  const changed = `${plural(files.length, 'file')}, +${sum('additions')} -${sum('deletions')}: ${names.join(', ')}${files.length > mostFiles ? ' …' : ''}`
  if (!record) return changed
  const duration = 'endTime' in record ? Date.parse(record.endTime) - Date.parse(record.startTime) : 0
  return [
    `${record.codonId} ${harmlessLine(record.codonName)}`,
    record.model,
    dollarsText(record.cost),
    secondsText(duration),
    `run ${run}, attempt ${record.attempt}`,
    changed,
  ].join(' · ')
}

/** Lines to paste. */
async function advice(good: ThreadVersion, bad: ThreadVersion, place: ReadPlace): Promise<readonly string[]> {
  const name = shellWord(basename(place.layout.dir))
  const [from, to] = await Promise.all([good, bad].map(version => wordFor(version, place)))
  return [
    `  weave diff ${from} ${to} -e ${name}`,
    ...(bad.codonId === '' ? [] : [`  weave journal ${name} --codon ${shellWord(bad.codonId)}`]),
    `  weave fork ${name} --at ${from}`,
  ]
}

/** Its name, unless that means another one; then the beginning of its sha. */
async function wordFor(version: ThreadVersion, place: ReadPlace): Promise<string> {
  const name = versionName(version)
  const meant = await place.named(name)
  return meant.ok && meant.sha === version.sha ? shellWord(name) : version.sha.slice(0, 12)
}

async function asJson(found: Bisected, place: ReadPlace): Promise<object> {
  const { outcome, versions, verdicts, checks, durationMs } = found
  const row = versions.map(({ sha, type, codonId }, at) => ({
    codonId,
    type,
    sha,
    verdict: verdicts[at] ?? null,
  }))
  const { record, run, files } = await bisectDetails(found, place)
  return {
    outcome: outcome.kind,
    ...(outcome.kind === 'found' || outcome.kind === 'range'
      ? { good: row[outcome.good], bad: row[outcome.bad] }
      : {}),
    checks: checks.length,
    durationMs: Math.round(durationMs),
    versions: row,
    ...(record && {
      codon: { ...named(record), cost: record.cost, attempt: record.attempt, run },
    }),
    files: files.map(({ before: _before, after: _after, ...file }) => file),
  }
}

function named({ codonId, codonName, model }: { codonId: string; codonName: string; model: string }) {
  return { codonId, codonName, model }
}
