import { Divider, Paper, SegmentedControl, Stack, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { themes } from '../../../src/console-api/contract.ts'
import { accountQuery, sessionQuery } from '../api/queries.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { PageHeader } from '../parts/page/page-header.tsx'
import { Section } from '../parts/page/section.tsx'
import { BudgetList } from '../parts/values/budget-list.tsx'
import { RecordingSection } from '../recording/recording-section.tsx'
import { AccountPicker } from '../shell/account-picker.tsx'
import { useOneAccount } from '../shell/use-one-account.ts'
import { usePreferences } from '../shell/use-preferences.ts'
import { MembersCard } from './members-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { RenameAccount } from './rename-account.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { SettingRow } from './setting-row.tsx'
import { TotpCard } from './totp-card.tsx'

export function AccountPage() {
  const { t } = useTranslation()
  const user = useQuery(sessionQuery).data?.user
  const account = useOneAccount()
  return (
    <>
      <PageHeader title={t('accountPage.title')} text={t('accountPage.text')}>
        <AccountPicker />
      </PageHeader>
      <Stack gap="xl" maw={820}>
        {user && (
          <Section title={t('you.title')} text={user.email}>
            <Paper withBorder px="md" py={4}>
              {user.source === 'open-id' ? (
                <SettingRow title={t('you.signIn')} text={t('you.signInOpenId')} />
              ) : (
                <>
                  <PasswordCard user={user} />
                  <Divider />
                  <TotpCard user={user} />
                  <Divider />
                  <PasskeysCard />
                </>
              )}
              <Divider />
              <LanguageRow />
              <Divider />
              <ThemeRow />
            </Paper>
          </Section>
        )}
        <Section title={t('sessions.title')}>
          <Paper withBorder px="md" py="xs">
            <SessionsCard />
          </Paper>
        </Section>
        {account !== undefined && <AccountSection id={account} />}
      </Stack>
    </>
  )
}

function AccountSection({ id }: { id: string }) {
  const { t } = useTranslation()
  const account = useQuery(accountQuery(id))
  if (account.error) return <PageError error={account.error} reset={() => void account.refetch()} />
  if (!account.data) return <PagePending />
  const isOwner = account.data.yourRole === 'owner'
  return (
    <>
      {account.data.budgets.length > 0 && (
        <Section title={t('budget.account')}>
          <Paper withBorder px="md" py="xs">
            <BudgetList budgets={account.data.budgets} />
          </Paper>
        </Section>
      )}
      <Section
        title={t('members.title', { account: account.data.name })}
        action={isOwner && <RenameAccount account={account.data} />}
      >
        <Paper withBorder px="md" py="xs">
          <MembersCard account={account.data} />
        </Paper>
      </Section>
      <RecordingSection account={account.data} />
      {isOwner && (
        <Paper withBorder px="md" py={4}>
          <SettingRow title={t('accountPage.alerts')} text={t('accountPage.alertsText')}>
            <ButtonLink to="/alerts" search={{ account: id }} size="xs" variant="default">
              {t('accountPage.alertsOpen')}
            </ButtonLink>
          </SettingRow>
          <SettingRow title={t('accountPage.tokens')} text={t('accountPage.tokensText')}>
            <ButtonLink to="/tokens" search={{ account: id }} size="xs" variant="default">
              {t('accountPage.tokensOpen')}
            </ButtonLink>
          </SettingRow>
        </Paper>
      )}
    </>
  )
}

function LanguageRow() {
  const { t, i18n } = useTranslation()
  const preferences = usePreferences()
  return (
    <SettingRow title={t('language.label')}>
      <SegmentedControl
        aria-label={t('language.label')}
        data={[
          { value: 'en', label: 'English' },
          { value: 'zh', label: '中文' },
        ]}
        value={i18n.language}
        onChange={(value) => void preferences.chooseLanguage(value === 'zh' ? 'zh' : 'en')}
      />
    </SettingRow>
  )
}

function ThemeRow() {
  const { t } = useTranslation()
  const preferences = usePreferences()
  const { colorScheme } = useMantineColorScheme()
  return (
    <SettingRow title={t('theme.label')}>
      <SegmentedControl
        aria-label={t('theme.label')}
        data={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
        value={colorScheme}
        onChange={(value) =>
          void preferences.chooseTheme(themes.find((each) => each === value) ?? 'auto')
        }
      />
    </SettingRow>
  )
}
