import { flags } from '../../packages/cli/src/flags.ts'
import {
  defaults,
  otelContents,
  otelNames,
  type SettingField,
  settingFields,
  settingKinds,
  variableOf,
} from '../../packages/runtime/src/settings/fields.ts'
import { fields } from '../../packages/runtime/src/settings/schema.ts'
import { code, table } from './field-table.ts'
import type { Generated } from './generated.ts'

/** `docs/reference/settings.md`, from the tables of settings, flags and variables. */
export const settingsPage: Generated = {
  path: 'docs/reference/settings.md',
  content: () => `${page().join('\n\n')}\n`,
}

const given: Readonly<Partial<Record<SettingField, string | number | boolean>>> = defaults
const kindWords = {
  number: 'number',
  boolean: 'true or false',
  text: 'text',
  list: 'list of texts; with commas in the variable',
  content: otelContents.map(code).join(', '),
  names: otelNames.map(code).join(', '),
} as const

function page(): readonly string[] {
  return [
    '# Settings and environment',
    `Generated from the tables of settings by ${code('npm run generate')}. Do not edit.`,
    `A setting is looked for in this order, and the last that says something wins: the default, ${code('weave.json')}, ${code('overrides')} of the hank (for what a hank may say), the environment, the command line. ${code('weave validate --verbose')} prints every setting with its origin. A ceiling for money or time is different: the tightest wins.`,
    '## Settings',
    `${code('weave.json')} is looked for beside the hank, then in the working directory; the first that is there is read, and no other. ${code('--runtime-config')} names another file instead. A name with a dot is a field of an object.`,
    table(
      ['setting', 'type', 'default', 'flag', 'variable', 'meaning'],
      settingFields.map(field => [
        code(field),
        kindWords[settingKinds[field]],
        given[field] === undefined ? 'none' : code(given[field].toString()),
        flagOf(field),
        code(variableOf(field)),
        fields[field].meta()?.description ?? '',
      ]),
    ),
    ...environment,
  ]
}

function flagOf(field: SettingField): string {
  return Object.entries(flags)
    .filter(([, flag]) => 'setting' in flag && flag.setting === field)
    .map(([name]) => code(`--${name}`))
    .join(', ')
}

const environment = [
  '## Environment',
  'Variables come from the shell and, when `--env-file` names one, from a file; the shell wins. `docs/prompts.md` has the rules of that file, and what agents get.',
  'An empty variable counts as not set. Of a yes-or-no variable only `true` and `1` mean yes; everything else, `false` too, means no.',
  table(
    ['variable', 'meaning'],
    [
      [
        '`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GOOGLE_API_KEY` or `GEMINI_API_KEY`, `OPENROUTER_API_KEY`',
        'the key of a provider',
      ],
      [
        '`<PROVIDER>_BASE_URL`, such as `ANTHROPIC_BASE_URL`',
        'another address of a provider: a gateway, a local server; see `docs/agents.md`',
      ],
      ['`WEAVE_SENTINEL_<PROVIDER>_API_KEY`', 'the key for sentinels; looked for before the one above'],
      ['`WEAVE_<NAME>`', 'reaches the agents as `<NAME>`; `unset` takes that variable away from everyone'],
      ['`WEAVE_TOKEN`', 'what clients must know, as with `--token`'],
      [
        '`WEAVE_TELEMETRY`',
        'a word for no switches usage reports off; without an endpoint nothing is sent anyway',
      ],
      ['`NO_COLOR`, `CI`', 'no colours; no questions and no usage reports'],
      ['`HTTPS_PROXY`, `NO_PROXY`, `NODE_EXTRA_CA_CERTS`', 'how the model proxy reaches its upstream'],
    ],
  ),
  'An agent is given `WEAVE_EXECUTION_ID`, `WEAVE_CODON_ID` and `WEAVE_SERVER_ID`: by them its processes are found and ended. It is given nothing else that begins with `WEAVE_`, and no key for sentinels.',
]
