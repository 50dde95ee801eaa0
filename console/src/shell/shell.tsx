import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChartHistogram, IconKey, IconLayoutDashboard } from '@tabler/icons-react'
import { Outlet } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { AccountSwitch } from './account-switch.tsx'
import { Brand } from './brand.tsx'
import { LanguageMenu } from './language-menu.tsx'
import { PageLink } from './page-link.tsx'
import { ThemeMenu } from './theme-menu.tsx'
import { useAccount } from './use-account.ts'
import { UserMenu } from './user-menu.tsx'

const pages = [
  { to: '/', label: 'nav.overview', Icon: IconLayoutDashboard },
  { to: '/keys', label: 'nav.keys', Icon: IconKey },
  { to: '/usage', label: 'nav.usage', Icon: IconChartHistogram },
] as const

/** What stands around every page: the pages on the left, the account and the user on top. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const { t } = useTranslation()
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <Group
          h="100%"
          px={{ base: 'xs', sm: 'md' }}
          gap="xs"
          wrap="nowrap"
          justify="space-between"
        >
          <Group gap="xs" wrap="nowrap" w={{ sm: 196 }}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('nav.open')}
            />
            <Brand />
          </Group>
          <Group gap={4} wrap="nowrap">
            <AccountSwitch visibleFrom="sm" />
            <LanguageMenu />
            <ThemeMenu />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('nav.label')}>
        <AccountSwitch hiddenFrom="sm" mb="sm" />
        <Pages onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main className="console-main">
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function Pages({ onChoose }: { onChoose: () => void }) {
  const { t } = useTranslation()
  const account = useAccount()
  return pages.map(({ to, label, Icon }) => (
    <PageLink
      key={to}
      to={to}
      search={account === undefined ? {} : { account }}
      activeOptions={{ exact: true, includeSearch: false }}
      label={t(label)}
      leftSection={<Icon size={18} stroke={1.6} />}
      onClick={onChoose}
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
    />
  ))
}
