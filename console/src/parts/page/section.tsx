import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly text?: string
  /** Shown at the right end of the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, text, action, children }: SectionProps) {
  return (
    <section>
      <Group justify="space-between" align="flex-end" mb="xs" gap="xs">
        <div>
          <Title order={2} fz="h4">
            {title}
          </Title>
          {text !== undefined && (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </section>
  )
}
