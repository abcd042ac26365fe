import {
  type CodeAction,
  CodeActionKind,
  type CodeLens,
  createConnection,
  type InitializeParams,
  type InitializeResult,
  ProposedFeatures,
  type Range,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { type ExitCode, version } from '../program.ts'
import { earlierWords } from '../validate/sections.ts'
import { earlierOf } from '../validate/verdict-json.ts'
import { diagnosticOf, fixAll, type PlacedProblem, placedProblems, quickFixes } from './diagnostics.ts'
import { formatted } from './format.ts'
import { type CheckedHank, type CheckOptions, createHankChecks, type HankChecks } from './hank-checks.ts'
import { createNavigation, linksIn, symbolsIn } from './navigation.ts'
import { addressOf, createOpenFiles, pathsOf } from './open-files.ts'
import { createSchemaHelp } from './schema-help.ts'
import { createTypingHelp } from './typing-help.ts'

type Connection = ReturnType<typeof createConnection>

/** Speaks with an editor until it leaves. Nothing but messages goes to standard output. */
export function serve(): Promise<ExitCode> {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout)
  let session: Session | undefined
  connection.onInitialize(params => {
    session = openSession(connection, optionsOf(params))
    return capabilities
  })
  connection.onShutdown(() => session?.close())
  connection.listen()
  // The library ends the process: with 0 after a shutdown, with 1 when the editor just went.
  return new Promise(() => undefined)
}

const capabilities: InitializeResult = {
  serverInfo: { name: 'weave', version },
  capabilities: {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    completionProvider: { triggerCharacters: ['"', '/', '%', ':'] },
    hoverProvider: true,
    definitionProvider: true,
    referencesProvider: true,
    renameProvider: { prepareProvider: true },
    codeActionProvider: {
      codeActionKinds: [CodeActionKind.QuickFix, `${CodeActionKind.SourceFixAll}.weave`],
    },
    inlayHintProvider: true,
    codeLensProvider: {},
    documentSymbolProvider: true,
    documentLinkProvider: {},
    documentFormattingProvider: true,
  },
}

/** What an editor may hand over. Values of another kind count as not given. */
function optionsOf({ initializationOptions }: InitializeParams): CheckOptions {
  const given: unknown = initializationOptions
  const optionOf = (name: string): unknown =>
    typeof given === 'object' && given !== null
      ? Object.entries(given).find(([key]) => key === name)?.[1]
      : undefined
  const textOf = (name: string): string | undefined => {
    const value = optionOf(name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    model: textOf('model'),
    runtimeConfig: textOf('runtimeConfig'),
    environment: optionOf('environment') === false ? {} : process.env,
  }
}

interface Session {
  close(): void
}

function openSession(connection: Connection, options: CheckOptions): Session {
  const documents = new TextDocuments(TextDocument)
  const files = createOpenFiles(documents)
  const told = new Map<string, readonly PlacedProblem[]>()
  const problemsIn = (path: string) => [...told.values()].flat().filter(placed => placed.path === path)
  const tell = (hank: string, problems: readonly PlacedProblem[]): void => {
    const before = told.get(hank) ?? []
    told.set(hank, problems)
    const paths = new Set([hank, ...[...before, ...problems].map(({ path }) => path)])
    for (const path of paths)
      void connection.sendDiagnostics({
        uri: addressOf(path),
        diagnostics: problemsIn(path).map(diagnosticOf),
      })
  }
  const checks = createHankChecks({
    files,
    options,
    found(checked) {
      tell(checked.hank, placedProblems(checked))
      void connection.languages.inlayHint.refresh().catch(() => undefined)
    },
    failed: (hank, error) => connection.console.error(`${hank} could not be checked: ${String(error)}`),
  })
  const check = (address: string): void => {
    for (const path of pathsOf(address)) for (const hank of files.hanksOf(path)) checks.changed(hank)
  }
  documents.onDidChangeContent(({ document }) => check(document.uri))
  documents.onDidSave(({ document }) => check(document.uri))
  documents.onDidClose(({ document }) => {
    const open = files.openHanks()
    for (const hank of [...told.keys()].filter(each => !open.has(each))) {
      tell(hank, [])
      told.delete(hank)
      checks.forget(hank)
    }
    for (const hank of pathsOf(document.uri).flatMap(files.hanksOf)) if (open.has(hank)) checks.changed(hank)
  })
  connection.onDidChangeWatchedFiles(() => {
    for (const hank of files.openHanks()) checks.changed(hank)
  })
  answerRequests(connection, { files, checks, options, problemsIn })
  documents.listen(connection)
  return { close: checks.close }
}

interface Answering {
  readonly files: ReturnType<typeof createOpenFiles>
  readonly checks: HankChecks
  readonly options: CheckOptions
  readonly problemsIn: (path: string) => readonly PlacedProblem[]
}

function answerRequests(connection: Connection, { files, checks, options, problemsIn }: Answering): void {
  const help = createTypingHelp({ files, checks, schemas: createSchemaHelp(), options })
  const going = createNavigation(files)
  const asked = ({ textDocument, position }: Parameters<Parameters<Connection['onDefinition']>[0]>[0]) =>
    pathsOf(textDocument.uri).map(path => ({ path, position }))
  const firstOf = <T>(paths: readonly T[]): T | undefined => paths[0]

  connection.onCompletion(async params => {
    const at = firstOf(asked(params))
    return at ? [...(await help.complete(at))] : []
  })
  connection.onHover(async params => {
    const at = firstOf(asked(params))
    return at ? ((await help.hover(at)) ?? null) : null
  })
  connection.onDefinition(params => asked(params).flatMap(at => [...going.definitions(at)]))
  connection.onReferences(params => asked(params).flatMap(at => [...going.references(at)]))
  connection.onPrepareRename(params => asked(params).map(going.prepareRename)[0] ?? null)
  connection.onRenameRequest(params => {
    const at = firstOf(asked(params))
    return at ? (going.rename(at, params.newName) ?? null) : null
  })
  connection.onDocumentSymbol(({ textDocument }) =>
    pathsOf(textDocument.uri).flatMap(path =>
      files.kindOf(path) === 'hank' ? [...symbolsIn(files, path)] : [],
    ),
  )
  connection.onDocumentLinks(({ textDocument }) =>
    pathsOf(textDocument.uri).flatMap(path =>
      ['hank', 'sentinel'].includes(files.kindOf(path) ?? '') ? [...linksIn(files, path)] : [],
    ),
  )
  connection.onDocumentFormatting(({ textDocument }) =>
    pathsOf(textDocument.uri).flatMap(path => {
      const document = files.document(path)
      return document && ![undefined, 'prompt'].includes(files.kindOf(path)) ? formatted(document) : []
    }),
  )
  connection.languages.inlayHint.on(({ textDocument }) =>
    pathsOf(textDocument.uri).flatMap(path => (files.kindOf(path) === 'hank' ? [...help.hints(path)] : [])),
  )
  connection.onCodeLens(async ({ textDocument }) => {
    const hanks = pathsOf(textDocument.uri).filter(path => files.kindOf(path) === 'hank')
    return (await Promise.all(hanks.map(path => lenses(path, checks.last(path))))).flat()
  })
  connection.onCodeAction(({ textDocument, range, context }) =>
    pathsOf(textDocument.uri).flatMap(path => actions(problemsIn(path), range, context.only)),
  )
}

/** Fixes of what is in a range, and one action for all of the file that leave no choice. */
function actions(
  problems: readonly PlacedProblem[],
  range: Range,
  only: readonly string[] | undefined,
): CodeAction[] {
  const wanted = (kind: string) => !only || only.some(one => kind === one || kind.startsWith(`${one}.`))
  const all = fixAll(problems)
  return [
    ...(wanted(CodeActionKind.QuickFix) ? quickFixes(problems, range) : []),
    ...(all && wanted(`${CodeActionKind.SourceFixAll}.weave`) ? [all] : []),
  ]
}

/** Commands that a client may run for the person; this server starts nothing. And what earlier executions have cost. */
async function lenses(path: string, checked: CheckedHank | undefined): Promise<CodeLens[]> {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
  const commands = ['rehearse', 'validate'].map(word => ({
    range,
    command: { title: word, command: `weave.${word}`, arguments: [path] },
  }))
  const earlier = checked && (await earlierOf(checked.prepared))
  if (!earlier || earlier.executions.count === 0) return commands
  // Without a command it is a word to read.
  return [...commands, { range, command: { title: earlierWords(earlier.executions), command: '' } }]
}
