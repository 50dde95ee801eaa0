import { parse } from 'yaml'
import { z } from 'zod'
import { readDocument } from '../../unit/docs/table-rows.ts'

/* The expressions of deploy/monitoring/, and the names that they refer to. */

const dashboardShape = z.object({
  panels: z.array(
    z.object({
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
  templating: z.object({ list: z.array(z.object({ query: z.unknown() })) }),
})
const rulesShape = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ expr: z.string() })) })),
})

export function dashboardExpressions(): string[] {
  const { panels, templating } = dashboardShape.parse(
    JSON.parse(readDocument('deploy/monitoring/grafana-dashboard.json')),
  )
  const queries = templating.list.map(({ query }) => JSON.stringify(query).replaceAll('\\"', '"'))
  return [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...queries]
}

export function ruleExpressions(): string[] {
  const { groups } = rulesShape.parse(parse(readDocument('deploy/monitoring/alert-rules.yaml')))
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
}

/** Labels that Prometheus adds itself. */
const addedLabels = ['job', 'instance']

/** The names in an expression that are neither metrics nor labels of these metrics. */
export function unknownNames(
  expression: string,
  labelsOf: ReadonlyMap<string, readonly string[]>,
): string[] {
  const metrics = [...expression.matchAll(/\b((?:tollgate|process)_\w+)(?:\{([^}]*)\})?/g)]
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )
  const known = new Set(addedLabels)
  const unknown: string[] = []
  for (const [, written = '', selector = ''] of metrics) {
    const histogram = /^(\w+)_(?:bucket|sum|count)$/.exec(written)?.[1]
    const labels = labelsOf.get(written) ?? labelsOf.get(histogram ?? '')
    if (!labels) unknown.push(written)
    const own = [...addedLabels, ...(labels ?? []), ...(histogram === undefined ? [] : ['le'])]
    for (const label of own) known.add(label)
    for (const [, name = ''] of selector.matchAll(/(\w+)\s*[!=]~?/g))
      if (!own.includes(name)) unknown.push(`${written}{${name}}`)
  }
  return [...unknown, ...grouped.filter((name) => !known.has(name))]
}
