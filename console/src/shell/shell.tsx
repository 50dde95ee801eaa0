import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { AccountSwitch } from './account-switch.tsx'
import { Brand } from './brand.tsx'
import { InvitationBanner } from './invitation-banner.tsx'
import { LanguageMenu } from './language-menu.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { Navigation } from './navigation.tsx'
import { SetupBanner } from './setup-banner.tsx'
import { ThemeMenu } from './theme-menu.tsx'
import { useFollowPreferences } from './use-preferences.ts'
import { UserMenu } from './user-menu.tsx'

const mainId = 'page'

/** Frame of every page: navigation on the left, account and user at the top. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const { t } = useTranslation()
  useFollowPreferences()
  return (
    <LeaveGuard>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding={{ base: 'sm', sm: 'lg' }}
      >
        <a className="skip-link" href={`#${mainId}`}>
          {t('nav.skip')}
        </a>
        <AppShell.Header>
          <Group
            h="100%"
            px={{ base: 'xs', sm: 'md' }}
            gap="xs"
            wrap="nowrap"
            justify="space-between"
          >
            <Group gap="xs" wrap="nowrap">
              <Burger
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={t('nav.open')}
                aria-expanded={isOpen}
              />
              <Brand />
            </Group>
            <Group gap={4} wrap="nowrap">
              <AccountSwitch visibleFrom="sm" mr="xs" />
              <LanguageMenu />
              <ThemeMenu />
              <UserMenu />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" aria-label={t('nav.label')}>
          <AccountSwitch hiddenFrom="sm" mb="sm" />
          <Navigation onChoose={close} />
        </AppShell.Navbar>
        <AppShell.Main className="console-main" id={mainId} tabIndex={-1}>
          <div className="console-page">
            <SetupBanner />
            <InvitationBanner />
            <Outlet />
          </div>
        </AppShell.Main>
      </AppShell>
    </LeaveGuard>
  )
}
