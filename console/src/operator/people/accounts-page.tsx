import '../operator.css'
import { Button, Group, Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconPlus } from '../../icons/icons.ts'
import { PageHeader } from '../../parts/page/page-header.tsx'
import { SearchInput } from '../parts/search-input.tsx'
import { AccountPanel } from './account-panel.tsx'
import { AccountsTable } from './accounts-table.tsx'
import { UserPanel } from './user-panel.tsx'
import { UsersTable } from './users-table.tsx'

export function AccountsPage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/operate/accounts' })
  const navigate = useNavigate({ from: '/operate/accounts' })
  const [text, setText] = useState<string>()
  const [isNew, setNew] = useState(false)
  const isUsers = search.view === 'users'
  const view = isUsers ? { view: 'users' } : {}
  const openAccount = (open: string) => {
    setNew(false)
    void navigate({ search: { open } })
  }
  const openUser = (user: string) => void navigate({ search: { view: 'users', user } })
  const close = () => {
    setNew(false)
    void navigate({ search: view })
  }
  return (
    <>
      <PageHeader title={t('people.title')} text={t('people.about')}>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
          {isUsers ? t('people.newUser') : t('people.newAccount')}
        </Button>
      </PageHeader>
      <Tabs
        value={isUsers ? 'users' : 'accounts'}
        onChange={(chosen) => {
          setText(undefined)
          void navigate({ search: chosen === 'users' ? { view: 'users' } : {}, replace: true })
        }}
        keepMounted={false}
      >
        <Group justify="space-between" align="flex-end" mb="md" gap="xs">
          <Tabs.List flex={1} miw={0} className="tab-line">
            <Tabs.Tab value="accounts">{t('people.accounts')}</Tabs.Tab>
            <Tabs.Tab value="users">{t('people.users')}</Tabs.Tab>
          </Tabs.List>
          <SearchInput
            key={isUsers ? 'users' : 'accounts'}
            label={isUsers ? t('people.searchUsers') : t('people.searchAccounts')}
            value={text}
            onSearch={setText}
          />
        </Group>
        <Tabs.Panel value="accounts">
          <AccountsTable search={text} onOpen={openAccount} />
        </Tabs.Panel>
        <Tabs.Panel value="users">
          <UsersTable search={text} onOpen={openUser} />
        </Tabs.Panel>
      </Tabs>
      <AccountPanel
        account={isUsers ? undefined : search.open}
        isNew={isNew && !isUsers}
        onOpen={openAccount}
        onClose={close}
      />
      <UserPanel user={search.user} isNew={isNew && isUsers} onClose={close} />
    </>
  )
}
