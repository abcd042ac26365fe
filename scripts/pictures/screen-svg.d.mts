export interface Theme {
  readonly background: string
  readonly text: string
  readonly dim: string
  readonly colors: readonly string[]
}
export declare const themes: Readonly<Record<'light' | 'dark', Theme>>
export declare function screenSvg(
  screen: string,
  options: { readonly columns: number; readonly theme: Theme },
): string
