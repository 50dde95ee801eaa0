import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyCommand } from './copy-command.tsx'

/** An empty list is a place to begin: it says what would be here and how to get it. */
export function EmptyState(props: {
  icon: ReactNode
  title: string
  text: string
  command: string
}) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" maw={620} w="100%" gap="sm">
        <ThemeIcon variant="light" size={52} radius="xl">
          {props.icon}
        </ThemeIcon>
        <Title order={3} ta="center">
          {props.title}
        </Title>
        <Text c="dimmed" ta="center">
          {props.text}
        </Text>
        <CopyCommand command={props.command} />
      </Stack>
    </Center>
  )
}
