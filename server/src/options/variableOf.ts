/** `WAYMARK_API_KEYS` for `--api-keys`; a switch is `true`. A flag wins over its variable. */
export const variableOf = ({ name }: { name: string }): string =>
  `WAYMARK_${name.toUpperCase().replaceAll('-', '_')}`
