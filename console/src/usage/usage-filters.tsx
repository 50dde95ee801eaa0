import '@mantine/dates/styles.css'
import { Badge, Button, Group, Popover, SimpleGrid, Stack } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { usageFacetsQuery } from '../api/usage-queries.ts'
import { protocolLabel } from '../codes/protocol-label.ts'
import { calendarFormat } from '../format/calendar.ts'
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '../icons/icons.ts'
import { DebouncedInput } from '../parts/forms/debounced-input.tsx'
import { Select } from '../parts/forms/select.tsx'
import {
  defaultPeriod,
  narrowingNames,
  periodOf,
  periods,
  type UsageSearch,
  type UsageSearchChange,
} from './usage-search.ts'

interface UsageFiltersProps {
  readonly search: UsageSearch
  readonly onChange: (change: UsageSearchChange) => void
  readonly withAccount: boolean
}

const nothing = Object.fromEntries(narrowingNames.map((name) => [name, undefined]))

/** Filters of the log. Less common ones are behind a button; on a phone all are. */
export const UsageFilters = memo(function UsageFilters(props: UsageFiltersProps) {
  const { search, onChange, withAccount } = props
  const { t } = useTranslation()
  const count = narrowingNames.filter((name) => search[name] !== undefined).length
  return (
    <Group gap="xs" mb="md">
      <PeriodFilter search={search} onChange={onChange} />
      <Group gap="xs" visibleFrom="md" wrap="nowrap">
        <CommonFilters search={search} onChange={onChange} withAccount={withAccount} />
      </Group>
      {/* On a phone the filters are taller than the window: scrolling to the last one must not hide them. */}
      <Popover width={340} position="bottom-start" shadow="md" trapFocus hideDetached={false}>
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<IconAdjustmentsHorizontal size={16} />}
            rightSection={
              count > 0 && (
                <Badge size="sm" circle variant="filled">
                  {count}
                </Badge>
              )
            }
          >
            {t('filter.more')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          {/* The group takes the focus: a focused dropdown would open, and a phone would show its keyboard. */}
          <Stack
            gap="sm"
            role="group"
            aria-label={t('filter.more')}
            tabIndex={-1}
            data-autofocus
            style={{ outline: 'none' }}
          >
            <Stack gap="sm" hiddenFrom="md">
              <CommonFilters
                search={search}
                onChange={onChange}
                withAccount={withAccount}
                isLabelled
              />
            </Stack>
            <RareFilters search={search} onChange={onChange} />
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <DebouncedInput
        label={t('filter.request')}
        isLabelHidden
        placeholder={t('filter.requestHint')}
        leftSection={<IconSearch size={15} />}
        value={search.request ?? ''}
        onChange={(request) => onChange({ request: request === '' ? undefined : request })}
        style={{ flex: '1 1 180px' }}
      />
      {count > 0 && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconX size={15} />}
          onClick={() => onChange(nothing)}
        >
          {t('filter.clear')}
        </Button>
      )}
    </Group>
  )
})

type PartProps = Pick<UsageFiltersProps, 'search' | 'onChange'>

function PeriodFilter({ search, onChange }: PartProps) {
  const { t, i18n } = useTranslation()
  const period = periodOf(search)
  const choose = (value: string | null) => {
    if (value !== 'custom')
      return onChange({ period: value ?? defaultPeriod, from: undefined, to: undefined })
    const today = new Date().toLocaleDateString('sv')
    onChange({ period: undefined, from: today, to: today })
  }
  return (
    <>
      <Select
        aria-label={t('filter.period')}
        w={156}
        data={periods.map((value) => ({ value, label: t(`filter.period.${value}`) }))}
        value={period}
        allowDeselect={false}
        maxDropdownHeight={300}
        onChange={choose}
      />
      {period === 'custom' && (
        <DatePickerInput
          type="range"
          allowSingleDateInRange
          aria-label={t('filter.days')}
          {...calendarFormat(i18n.language)}
          valueFormat="YYYY-MM-DD"
          value={[search.from ?? null, search.to ?? null]}
          onChange={([from, to]) => onChange({ from: from ?? undefined, to: to ?? undefined })}
          miw={210}
        />
      )}
    </>
  )
}

function CommonFilters(props: UsageFiltersProps & { isLabelled?: boolean }) {
  const { search, onChange, withAccount, isLabelled = false } = props
  const { t } = useTranslation()
  const facets = useQuery(usageFacetsQuery(search.account)).data
  const named = (label: string) =>
    isLabelled
      ? { label, placeholder: t('filter.any') }
      : { 'aria-label': label, placeholder: label, w: 150 }
  const shared = {
    clearable: true,
    searchable: true,
    nothingFoundMessage: t('nothingFound'),
    // In the popover, a click on an option outside its DOM would close the popover.
    comboboxProps: { withinPortal: !isLabelled },
  }
  const isStatusNumber = search.status !== undefined && /^\d+$/.test(search.status)
  return (
    <>
      {withAccount && (
        <Select
          {...named(t('usage.account'))}
          {...shared}
          data={(facets?.accounts ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.account ?? null}
          onChange={(account) =>
            onChange({ account: account ?? undefined, key: undefined, user: undefined })
          }
        />
      )}
      <Select
        {...named(t('usage.key'))}
        {...shared}
        data={withChosen(
          (facets?.keys ?? []).map(({ id, name }) => ({ value: id, label: name })),
          search.key,
        )}
        value={search.key ?? null}
        onChange={(key) => onChange({ key: key ?? undefined })}
      />
      <Select
        {...named(t('usage.model'))}
        {...shared}
        data={withChosen((facets?.models ?? []).map(asChoice), search.model)}
        value={search.model ?? null}
        onChange={(model) => onChange({ model: model ?? undefined })}
      />
      <Select
        {...named(t('usage.status'))}
        {...shared}
        data={[
          { value: 'ok', label: t('filter.status.ok') },
          { value: 'error', label: t('filter.status.error') },
          ...(isStatusNumber ? [asChoice(search.status ?? '')] : []),
          ...['401', '403', '404', '429', '502', '503', '504']
            .filter((status) => status !== search.status)
            .map(asChoice),
        ]}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
    </>
  )
}

function RareFilters({ search, onChange }: PartProps) {
  const { t } = useTranslation()
  const facets = useQuery(usageFacetsQuery(search.account)).data
  const shared = {
    clearable: true,
    placeholder: t('filter.any'),
    comboboxProps: { withinPortal: false },
  }
  const owners = (facets?.users ?? []).map(({ id, email }) => ({ value: id, label: email }))
  return (
    <>
      {(owners.length > 1 || search.user !== undefined) && (
        <Select
          {...shared}
          searchable
          nothingFoundMessage={t('nothingFound')}
          label={t('usage.keyOwner')}
          data={withChosen(owners, search.user)}
          value={search.user ?? null}
          onChange={(user) => onChange({ user: user ?? undefined })}
        />
      )}
      <Select
        {...shared}
        label={t('usage.endpoint')}
        data={withChosen((facets?.protocols ?? []).map(asChoice), search.protocol).map(
          ({ value }) => ({ value, label: protocolLabel(value) }),
        )}
        value={search.protocol ?? null}
        onChange={(protocol) => onChange({ protocol: protocol ?? undefined })}
      />
      <Select
        {...shared}
        label={t('usage.group')}
        data={withChosen((facets?.groups ?? []).map(asChoice), search.group)}
        value={search.group ?? null}
        onChange={(group) => onChange({ group: group ?? undefined })}
      />
      <Select
        {...shared}
        label={t('filter.stream')}
        data={[
          { value: 'true', label: t('filter.stream.true') },
          { value: 'false', label: t('filter.stream.false') },
        ]}
        value={search.stream ?? null}
        onChange={(stream) => onChange({ stream: stream ?? undefined })}
      />
      <SimpleGrid cols={2} spacing="sm">
        <DebouncedInput
          label={t('filter.minCost')}
          inputMode="decimal"
          placeholder="0.01"
          value={search.minCost ?? ''}
          onChange={(text) => onChange({ minCost: text === '' ? undefined : text })}
        />
        <DebouncedInput
          label={t('filter.maxCost')}
          inputMode="decimal"
          placeholder="1.00"
          value={search.maxCost ?? ''}
          onChange={(text) => onChange({ maxCost: text === '' ? undefined : text })}
        />
      </SimpleGrid>
    </>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

const asChoice = (value: string): Choice => ({ value, label: value })

/** A filter value from the URL stays selectable even if the log has no such row. */
function withChosen(choices: readonly Choice[], chosen: string | undefined): Choice[] {
  const isThere = chosen === undefined || choices.some(({ value }) => value === chosen)
  return isThere ? [...choices] : [asChoice(chosen), ...choices]
}
