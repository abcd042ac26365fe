/** The files as an indented tree, folders before files, both by name. `paths` are relative, with `/`. */
export function fileTree(paths: readonly string[]): readonly string[] {
  const files = paths.filter(path => !path.includes('/')).sort()
  const folders = [...new Set(paths.flatMap(path => path.split('/').slice(0, -1)[0] ?? []))].sort()
  return [...folders.flatMap(folder => [`${folder}/`, ...indented(inside(folder, paths))]), ...files]
}

function inside(folder: string, paths: readonly string[]): readonly string[] {
  const start = `${folder}/`
  return fileTree(paths.filter(path => path.startsWith(start)).map(path => path.slice(start.length)))
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map(line => `  ${line}`)
}
