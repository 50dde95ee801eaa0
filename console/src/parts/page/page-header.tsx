import { Group, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface PageHeaderProps {
  readonly title: string
  /** One sentence about what the page is for. */
  readonly text?: string
  /** Actions, shown on the right. */
  readonly children?: ReactNode
}

export function PageHeader({ title, text, children }: PageHeaderProps) {
  useDocumentTitle(`${title} · Tollgate`)
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <div style={{ flex: '1 1 320px' }}>
        <Title order={1} fz={26} lh={1.25}>
          {title}
        </Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed" mt={4} maw={720} className="page-text">
            {text}
          </Text>
        )}
      </div>
      {children !== undefined && (
        <Group gap="xs" align="center" mih={{ sm: 36 }} className="page-actions">
          {children}
        </Group>
      )}
    </Group>
  )
}
