export function bundleWebPage(options: {
  root: string
  outdir: string
}): Promise<{ files: { file: string; bytes: number }[]; inputs: string[] }>
