import { ConfigProblem } from './config-problem.ts'
import { beginning, pathText } from './explain-issue.ts'
import type { YamlFile, YamlPath } from './yaml-file.ts'

/** Objects that should exist, as written, with their positions. */
export interface WrittenDocument {
  readonly file: YamlFile
  /** The path from the outermost member of the file. */
  readonly root: YamlPath
  readonly written: unknown
}

/** `rest` continues the sentence after the position. */
export function problemAt(
  { file, root }: WrittenDocument,
  path: YamlPath,
  rest: string,
): ConfigProblem {
  const full = [...root, ...path]
  return new ConfigProblem(`${beginning(file, full)} ${rest}`, { place: pathText(full) })
}
