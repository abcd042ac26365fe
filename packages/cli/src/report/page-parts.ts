export interface PageParts {
  readonly script: string
  readonly style: string
}

/** JSON, so that the bundler does not put it into every file. */
declare const __WEAVE_REPORT_PAGE__: string | undefined

/** What runs and how it looks in a report page; built from the browser's package and put in by the bundler. */
export const pageParts: PageParts | undefined =
  typeof __WEAVE_REPORT_PAGE__ === 'string' ? (JSON.parse(__WEAVE_REPORT_PAGE__) as PageParts) : undefined
