import { type Goal, isReached, type Outcome } from './scenario.ts'

export function printOutcome(outcome: Outcome): void {
  const columns = Object.keys(outcome.rows[0]?.figures ?? {})
  const table = [
    ['', ...columns],
    ...outcome.rows.map((row) => [
      row.target,
      ...columns.map((column) => formatNumber(row.figures[column] ?? Number.NaN)),
    ]),
  ]
  console.log(`${outcome.scenario}: ${outcome.title}`)
  const width = Math.max(...table.map(([name = '']) => name.length))
  for (const cells of table) {
    const padded = cells.map((cell, index) =>
      index === 0 ? cell.padEnd(width) : cell.padStart(16),
    )
    console.log(`  ${padded.join('')}`)
  }
  for (const goal of outcome.goals) console.log(`  ${describeGoal(goal)}`)
}

export function describeGoal(goal: Goal): string {
  const verdict = isReached(goal) ? 'PASS' : 'FAIL'
  const isClose = formatNumber(goal.value) === formatNumber(goal.atMost)
  // Otherwise a goal that is just missed would look like one that is reached.
  const value = `${isClose ? goal.value.toPrecision(4) : formatNumber(goal.value)} ${goal.unit}`
  return `${verdict}  ${goal.title}: ${value} (at most ${Number(goal.atMost.toPrecision(3))} ${goal.unit})`
}

function formatNumber(value: number): string {
  if (value >= 1000) return value.toFixed(0)
  return value.toFixed(value >= 100 ? 1 : 2)
}
