import { Center, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from '../shell/brand.tsx'
import { LanguageMenu } from '../shell/language-menu.tsx'
import { ThemeMenu } from '../shell/theme-menu.tsx'

/** Layout of pages before sign-in: brand and menus above one narrow column. */
export function SignedOutPage({ children }: { children: ReactNode }) {
  return (
    <Center component="main" className="console-main" mih="100dvh" p="md">
      <Stack w="100%" maw={400}>
        <Group justify="space-between" wrap="nowrap">
          <Brand />
          <Group gap={4} wrap="nowrap">
            <LanguageMenu />
            <ThemeMenu />
          </Group>
        </Group>
        {children}
      </Stack>
    </Center>
  )
}
