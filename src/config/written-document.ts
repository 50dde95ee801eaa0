import { ConfigProblem } from './config-problem.ts'
import { beginning, pathText } from './explain-issue.ts'
import type { YamlFile, YamlPath } from './yaml-file.ts'

/** What somebody wants to exist, as it is written, and where that stands. */
export interface WrittenDocument {
  readonly file: YamlFile
  /** The way to it from the outermost member of the file. */
  readonly root: YamlPath
  readonly written: unknown
}

/** `rest` reads on from the place. */
export function problemAt(
  { file, root }: WrittenDocument,
  path: YamlPath,
  rest: string,
): ConfigProblem {
  const full = [...root, ...path]
  return new ConfigProblem(`${beginning(file, full)} ${rest}`, { place: pathText(full) })
}
