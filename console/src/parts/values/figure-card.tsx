import { Group, Paper, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface FigureCardProps {
  readonly label: string
  /** Undefined while it is loading. */
  readonly figure: ReactNode
  readonly hint?: ReactNode
  /** Shown beside the figure: the change since the previous period. */
  readonly change?: ReactNode
}

export function FigureCard({ label, figure, hint, change }: FigureCardProps) {
  return (
    <Paper withBorder px="md" py="sm" className="figure-card">
      <Text size="xs" c="dimmed" fw={500}>
        {label}
      </Text>
      <Group gap={8} align="baseline">
        <Text fz="clamp(17px, 4.4vw, 22px)" fw={600} lh={1.35} component="div" className="figures">
          {figure === undefined ? <Skeleton h={22} w={90} my={4} /> : figure}
        </Text>
        {change}
      </Group>
      <Text size="xs" c="dimmed" mih={18} component="div" className="figure-hint">
        {hint}
      </Text>
    </Paper>
  )
}
