import { Text } from '@mantine/core'

interface ChangeMarkProps {
  readonly now: number
  readonly before: number
  /** Whether an increase is good, bad or neutral. */
  readonly meaning?: 'good' | 'bad' | 'none'
}

/** Relative change. Renders nothing if the previous period has no value. */
export function ChangeMark({ now, before, meaning = 'none' }: ChangeMarkProps) {
  if (before === 0 || now === before) return null
  const change = (now - before) / before
  const isMore = change > 0
  const color = meaning === 'none' ? 'dimmed' : isMore === (meaning === 'good') ? 'teal' : 'orange'
  const percent = Math.abs(change) >= 9.995 ? `×${(now / before).toFixed(0)}` : percentOf(change)
  return (
    <Text span size="xs" fw={500} c={color} className="figures">
      {isMore ? '▲' : '▼'} {percent}
    </Text>
  )
}

function percentOf(change: number): string {
  const percent = Math.abs(change) * 100
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)}%`
}
