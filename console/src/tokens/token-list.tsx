import '../operator/operator.css'
import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TokenRow, TokenWithValue } from '../../../src/console-api/contract.ts'
import { sessionQuery, tokensQuery } from '../api/queries.ts'
import { IconLockAccess, IconPlus } from '../icons/icons.ts'
import { SidePanel } from '../parts/dialogs/side-panel.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { ListTable } from '../parts/lists/list-table.tsx'
import { PageHeader } from '../parts/page/page-header.tsx'
import { NewToken } from './new-token.tsx'
import { tokenExample } from './token-example.ts'
import { TokenForm } from './token-form.tsx'
import { TokenPanel } from './token-panel.tsx'
import { useTokenColumns } from './use-token-columns.tsx'

const newToken = 'new'

interface TokenListProps {
  /** The selected account. */
  readonly account: string | undefined
  /** The token whose panel is open, or `new`. */
  readonly opened: string | undefined
  readonly onOpen: (token: string | undefined) => void
}

/** Tokens of the admin API, with a panel for each and for a new one. */
export function TokenList({ account, opened, onOpen }: TokenListProps) {
  const { t } = useTranslation()
  const [made, setMade] = useState<TokenWithValue>()
  const tokens = useInfiniteQuery(tokensQuery(account))
  const rows = tokens.data?.pages.flatMap((page) => page.tokens)
  const session = useQuery(sessionQuery).data
  const accounts = session?.accounts ?? []
  const accountName = (id: string) => accounts.find((each) => each.id === id)?.name ?? id
  const isOperator = session?.user?.role === 'admin'
  const showsAccount = account === undefined && (isOperator || accounts.length > 1)
  const columns = useTokenColumns({
    onOpen: ({ id }) => onOpen(id),
    accountName: showsAccount ? accountName : undefined,
  })
  const close = () => {
    setMade(undefined)
    onOpen(undefined)
  }
  const newButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => onOpen(newToken)}>
      {t('tokens.new')}
    </Button>
  )
  const row = rows?.find(({ id }) => id === opened)
  const root = session?.gatewayUrl ?? window.location.origin
  return (
    <>
      <PageHeader title={t('tokens.title')} text={t('tokens.text')}>
        {rows?.length !== 0 && newButton}
      </PageHeader>
      <ListTable<TokenRow>
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => onOpen(id)}
        query={tokens}
        empty={
          <EmptyState
            icon={<IconLockAccess />}
            title={t('tokens.emptyTitle')}
            text={t('tokens.emptyText')}
            command={tokenExample({
              root,
              value: '$TOLLGATE_TOKEN',
              scopes: ['read'],
              accountId: null,
            })}
            action={newButton}
          />
        }
      />
      <SidePanel isOpen={opened === newToken} onClose={close} title={t('tokens.new')}>
        {made ? (
          <NewToken made={made} onClose={close} />
        ) : (
          <TokenForm account={account} onMade={setMade} onCancel={close} />
        )}
      </SidePanel>
      <SidePanel isOpen={row !== undefined} onClose={close} title={row?.name ?? ''}>
        {row && <TokenPanel key={row.id} row={row} accountName={accountName} onClose={close} />}
      </SidePanel>
    </>
  )
}
