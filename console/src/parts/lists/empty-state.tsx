import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { CodeBlock } from '../values/code-block.tsx'

interface EmptyStateProps {
  readonly icon: ReactNode
  readonly title: string
  readonly text?: string
  readonly command?: string
  readonly action?: ReactNode
}

/** Shown for an empty list: what the list is for and how to start. */
export function EmptyState({ icon, title, text, command, action }: EmptyStateProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" maw={620} w="100%" gap="sm">
        <ThemeIcon variant="light" size={52} radius="xl">
          {icon}
        </ThemeIcon>
        <Title order={2} fz="h3" ta="center">
          {title}
        </Title>
        {text !== undefined && (
          <Text c="dimmed" ta="center" className="page-text">
            {text}
          </Text>
        )}
        {command !== undefined && (
          <div style={{ width: '100%' }}>
            <CodeBlock text={command} />
          </div>
        )}
        {action}
      </Stack>
    </Center>
  )
}
