import { type EditedKind, editorSchema } from '@weave/runtime'
import {
  type CompletionItem,
  getLanguageService,
  type Hover,
  type LanguageService,
  type Position,
} from 'vscode-json-languageservice'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { version } from '../program.ts'

/** Keys, values and their meaning, as the schema of each kind of file has them. It checks nothing: the loader does. */
export interface SchemaHelp {
  complete(document: TextDocument, kind: EditedKind, position: Position): Promise<readonly CompletionItem[]>
  hover(document: TextDocument, kind: EditedKind, position: Position): Promise<Hover | undefined>
}

export function createSchemaHelp(): SchemaHelp {
  const services = new Map<EditedKind, LanguageService>()
  function opened(document: TextDocument, kind: EditedKind) {
    const service = services.get(kind) ?? createService(kind)
    services.set(kind, service)
    // Under a name that the schema is bound to, whatever the file is called.
    const bound = TextDocument.create(boundTo, 'json', document.version, document.getText())
    return { service, bound, parsed: service.parseJSONDocument(bound) }
  }
  return {
    async complete(document, kind, position) {
      const { service, bound, parsed } = opened(document, kind)
      return (await service.doComplete(bound, position, parsed))?.items ?? []
    },
    async hover(document, kind, position) {
      const { service, bound, parsed } = opened(document, kind)
      return (await service.doHover(bound, position, parsed)) ?? undefined
    },
  }
}

const boundTo = 'file:///edited.json'

/** Asks nobody for a schema: whatever a document names, the one of this version counts. */
function createService(kind: EditedKind): LanguageService {
  const schema = inMarkdown(editorSchema(kind, version))
  const service = getLanguageService({
    schemaRequestService: () => Promise.resolve(JSON.stringify(schema)),
    clientCapabilities: {
      textDocument: {
        completion: { completionItem: { documentationFormat: ['markdown', 'plaintext'] } },
        hover: { contentFormat: ['markdown', 'plaintext'] },
      },
    },
  })
  service.configure({
    validate: false,
    schemas: [{ uri: `weave:${kind}`, fileMatch: ['edited.json'], schema }],
  })
  return service
}

/** The descriptions are Markdown; told as plain text they would be shown with their marks. */
function inMarkdown(value: object): object {
  const turned = Object.entries(value).map(([key, inner]: [string, unknown]): [string, unknown] => [
    key,
    Array.isArray(inner)
      ? inner.map((one: unknown) => (isObject(one) ? inMarkdown(one) : one))
      : isObject(inner)
        ? inMarkdown(inner)
        : inner,
  ])
  const copy = Object.fromEntries<unknown>(turned)
  return typeof copy['description'] === 'string'
    ? { ...copy, markdownDescription: copy['description'] }
    : copy
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
