import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import { listImports } from '../list-imports.ts'
import type { SourceFile } from '../source-file.ts'

interface Link {
  readonly target: string
  readonly line: number
}

/**
 * Files that import each other can only be read together. Biome finds cycles of values; this rule counts imports of
 * types as well. Tests are not checked: a simulation and its steps know each other.
 */
export function checkImportCycles(sources: ReadonlyMap<string, SourceFile>): Finding[] {
  const graph = new Map<string, readonly Link[]>()
  for (const [path, file] of [...sources].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (!path.startsWith('test/')) graph.set(path, linksOf(path, file, sources))
  }
  const findings: Finding[] = []
  const finished = new Set<string>()
  for (const path of graph.keys()) visit(path, [], { graph, finished, findings })
  return findings
}

function linksOf(path: string, file: SourceFile, sources: ReadonlyMap<string, SourceFile>): Link[] {
  return listImports(file).flatMap(({ specifier, line }) => {
    const target = posix.join(posix.dirname(path), specifier)
    return specifier.startsWith('.') && sources.has(target) ? [{ target, line }] : []
  })
}

interface Search {
  readonly graph: ReadonlyMap<string, readonly Link[]>
  readonly finished: Set<string>
  readonly findings: Finding[]
}

/** Depth first: an import of a file on the current path closes a cycle. */
function visit(path: string, parents: readonly string[], search: Search): void {
  if (search.finished.has(path)) return
  const trail = [...parents, path]
  for (const { target, line } of search.graph.get(path) ?? []) {
    const start = trail.indexOf(target)
    if (start === -1) visit(target, trail, search)
    else search.findings.push(describeCycle([...trail.slice(start), target], line))
  }
  search.finished.add(path)
}

function describeCycle(cycle: readonly string[], line: number): Finding {
  const message =
    `an import cycle: ${cycle.join(' -> ')}. Files of a cycle can only be read and changed together. ` +
    'Move what they share, often a type, to a file that imports none of them.'
  return { path: cycle.at(-2) ?? '', line, rule: 'import-cycles', message }
}
