import { homedir } from 'node:os'
import { additionsOf, createRegistry, listModels } from '@weave/runtime'
import { value } from '../answers.ts'
import type { Run } from '../tool.ts'
import type { Inputs } from './inputs.ts'

export const models: Run<Inputs['list_models']> = async ({ filter, skip }) => {
  const { registry } = await createRegistry({ additions: additionsOf({ home: homedir() }) })
  const all = listModels(registry, { environment: process.env, filter })
  const rows = all.map(({ provider, id, ...row }) => ({ model: `${provider}/${id}`, ...row }))
  return value({ models: rows.slice(skip), skipped: skip })
}
