import { Badge, Tooltip } from '@mantine/core'

export function StatusBadge({ status, reason }: { status: number | null; reason: string | null }) {
  const badge = <Badge color={colorOf(status)}>{status ?? '—'}</Badge>
  return reason === null ? badge : <Tooltip label={reason}>{badge}</Tooltip>
}

function colorOf(status: number | null): string {
  if (status === null || status >= 500) return 'red'
  if (status >= 400) return 'orange'
  return 'teal'
}
