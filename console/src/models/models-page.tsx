import { Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CatalogueModel } from '../../../src/console-api/contract.ts'
import { modelsQuery } from '../api/queries.ts'
import { formatCount } from '../format/counts.ts'
import { IconSearch, IconStack2 } from '../icons/icons.ts'
import { SidePanel } from '../parts/dialogs/side-panel.tsx'
import { DebouncedInput } from '../parts/forms/debounced-input.tsx'
import { Select } from '../parts/forms/select.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { ListTable } from '../parts/lists/list-table.tsx'
import { fromMedium, fromSmall } from '../parts/lists/media.ts'
import { PageHeader } from '../parts/page/page-header.tsx'
import { CopyIcon } from '../parts/values/copy-icon.tsx'
import { Money } from '../parts/values/money.tsx'
import { useAccount } from '../shell/use-account.ts'
import { useOneAccount } from '../shell/use-one-account.ts'
import { ModelPanel } from './model-panel.tsx'

export function ModelsPage() {
  const { t } = useTranslation()
  const account = useAccount()
  const hasAccount = useOneAccount() !== undefined
  const [search, setSearch] = useState('')
  const [chosenGroup, setGroup] = useState<string>()
  const [opened, setOpened] = useState<CatalogueModel>()
  const [isOpen, setOpen] = useState(false)
  const models = useInfiniteQuery(modelsQuery(account, search === '' ? undefined : search))
  const rows = models.data?.pages.flatMap((page) => page.models)
  const groups = [...new Set(rows?.flatMap(({ prices }) => prices.map(({ group }) => group)))]
  const group = chosenGroup !== undefined && groups.includes(chosenGroup) ? chosenGroup : groups[0]
  const open = (model: CatalogueModel) => {
    setOpened(model)
    setOpen(true)
  }
  const columns = useModelColumns(group, open)
  const isBare = rows?.length === 0 && search === ''
  return (
    <>
      <PageHeader title={t('models.title')} text={t('models.text')}>
        {!isBare && (
          <DebouncedInput
            label={t('models.search')}
            isLabelHidden
            placeholder={t('models.search')}
            leftSection={<IconSearch size={15} />}
            value={search}
            onChange={setSearch}
          />
        )}
        {groups.length > 1 && (
          <Select
            aria-label={t('models.group')}
            data={groups}
            value={group ?? null}
            allowDeselect={false}
            onChange={(value) => value !== null && setGroup(value)}
            w={160}
          />
        )}
      </PageHeader>
      <ListTable<CatalogueModel>
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={open}
        query={models}
        empty={
          isBare ? (
            <EmptyState
              icon={<IconStack2 />}
              title={t('models.emptyTitle')}
              text={hasAccount ? t('models.emptyText') : t('account.noneText')}
            />
          ) : (
            <EmptyState icon={<IconSearch />} title={t('nothingFound')} />
          )
        }
      />
      <SidePanel isOpen={isOpen} onClose={() => setOpen(false)} title={opened?.displayName ?? ''}>
        {opened && <ModelPanel model={opened} />}
      </SidePanel>
    </>
  )
}

function useModelColumns(
  group: string | undefined,
  onOpen: (model: CatalogueModel) => void,
): DataTableColumn<CatalogueModel>[] {
  const { t } = useTranslation()
  const priceOf = (model: CatalogueModel) =>
    model.prices.find((each) => each.group === group)?.price
  const priceColumn = (
    name: 'inputNano' | 'cacheReadNano' | 'outputNano',
    title: string,
    visibleMediaQuery?: string,
  ): DataTableColumn<CatalogueModel> => ({
    accessor: name,
    title,
    textAlign: 'right',
    ...(visibleMediaQuery !== undefined && { visibleMediaQuery }),
    render: (model) => {
      const price = priceOf(model)
      if (price) return <Money nano={price[name]} />
      const reason = price === null ? t('models.noPrice') : t('models.notInGroup')
      return name === 'inputNano' ? (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      ) : (
        '—'
      )
    },
  })
  return [
    {
      accessor: 'id',
      title: t('models.model'),
      render: (model) => (
        <Stack gap={0}>
          <Group gap={2} wrap="nowrap">
            <Anchor
              component="button"
              type="button"
              ta="left"
              size="sm"
              miw={88}
              ff="monospace"
              c="var(--mantine-color-text)"
              style={{ overflowWrap: 'anywhere' }}
              onClick={(event) => {
                event.stopPropagation()
                onOpen(model)
              }}
            >
              {model.id}
            </Anchor>
            <CopyIcon value={model.id} />
          </Group>
          <Text size="xs" c="dimmed" lineClamp={1}>
            {model.displayName}
          </Text>
        </Stack>
      ),
    },
    {
      accessor: 'contextTokens',
      title: t('models.context'),
      textAlign: 'right',
      visibleMediaQuery: fromSmall,
      render: ({ contextTokens }) => (
        <span className="figures">{contextTokens === null ? '—' : formatCount(contextTokens)}</span>
      ),
    },
    {
      accessor: 'capabilities',
      title: t('models.capabilities'),
      visibleMediaQuery: fromMedium,
      render: ({ capabilities }) => (
        <Group gap={4}>
          {capabilities.map((capability) => (
            <Badge key={capability} color="gray">
              {t(`capability.${capability}`)}
            </Badge>
          ))}
        </Group>
      ),
    },
    priceColumn('inputNano', t('models.input')),
    priceColumn('cacheReadNano', t('models.cacheRead'), fromMedium),
    priceColumn('outputNano', t('models.outputPrice')),
  ]
}
