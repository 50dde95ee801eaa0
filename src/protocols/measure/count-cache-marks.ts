import type { ModelRequest, Part } from '../../core/neutral/model-request.ts'

/** The cache marks of a request, wherever they are: the request itself, system texts, tools, parts, parts of results. */
export function countCacheMarks(request: ModelRequest): number {
  let count = request.cacheMark ? 1 : 0
  for (const part of request.system) count += marksOf(part)
  for (const tool of request.tools) if ('cacheMark' in tool && tool.cacheMark) count += 1
  for (const { parts } of request.turns) for (const part of parts) count += marksOf(part)
  return count
}

function marksOf(part: Part): number {
  let count = 'cacheMark' in part && part.cacheMark ? 1 : 0
  if (part.type === 'tool-result') for (const inner of part.parts) if (inner.cacheMark) count += 1
  return count
}
