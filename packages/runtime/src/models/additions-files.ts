import { join } from 'node:path'

/** A file of a person that adds models to the catalogue. */
export interface AdditionsFile {
  readonly path: string
  /** Whether it is an error when the file is not there. */
  readonly required: boolean
}

/** Where additions come from: `~/.weave/models.json`, and then the `modelsFile` of `weave.json`, which must be there. */
export function additionsOf({
  home,
  modelsFile,
}: {
  readonly home: string
  /** Absolute. */
  readonly modelsFile?: string | undefined
}): readonly AdditionsFile[] {
  const own = { path: join(home, '.weave', 'models.json'), required: false }
  return modelsFile === undefined ? [own] : [own, { path: modelsFile, required: true }]
}
