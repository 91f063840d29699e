import { describe, expect, it } from 'vitest'
import { parseArguments, supervisedRole } from '../../src/options/commandLine.js'

describe('parseArguments', () => {
  it('takes every flag', () => {
    const flags =
      '--host ::1 --port 0 --data d --api-keys a,b --server-keys s --identity-secret i --environments x,y --users n:p:q,m:r --catalogs one,two ' +
      '--postgres-port 5432 --postgres-tls-cert c --postgres-tls-key k --base-path /a/w/ --id-cookie --files f ' +
      '--memory-limit 1.5GiB --threads 3 --min-free-disk 2MB --clock-checked 2027-01-31 --statement-timeout 5 --max-backlog 1000 --insert-id-window 30 --columns labels ' +
      '--log-level warn --users-file u --metrics-token t --trust-proxy 2 --mcp-tokens a,b:persons --log postgres://a,b/c --log-durability local ' +
      '--log-readers-kept 3'
    expect(parseArguments(flags.split(' '), {})).toEqual({
      kind: 'start',
      isSupervised: false,
      options: {
        host: '::1',
        port: 0,
        postgresPort: 5432,
        postgresTlsCert: 'c',
        postgresTlsKey: 'k',
        basePath: '/a/w',
        idCookie: true,
        filesFolder: 'f',
        dataFolder: 'd',
        apiKeys: ['a', 'b'],
        serverKeys: ['s'],
        identitySecret: 'i',
        environments: ['x', 'y'],
        users: { n: 'p:q', m: 'r' },
        catalogs: ['one', 'two'],
        memoryLimit: '1.5GiB',
        threads: 3,
        minFreeDiskBytes: 2_097_152,
        clockChecked: '2027-01-31',
        statementTimeoutMs: 5000,
        maxBacklogRows: 1000,
        insertIdWindowMs: 30 * 86_400_000,
        logLevel: 'warn',
        columns: 'labels',
        usersFile: 'u',
        metricsToken: 't',
        trustProxy: 2,
        mcpTokens: ['a', 'b:persons'],
        log: 'postgres://a,b/c',
        logDurability: 'local',
        logReadersKeptMs: 3 * 86_400_000,
      },
    })
  })

  it('reads the environment where no flag is given', () => {
    const env = { WAYMARK_PORT: '1', WAYMARK_API_KEYS: 'k', WAYMARK_MEMORY_LIMIT: '1GB' }
    expect(parseArguments(['--port', '2'], env)).toEqual({
      kind: 'start',
      isSupervised: false,
      options: { port: 2, apiKeys: ['k'], memoryLimit: '1GB' },
    })
  })

  it('reads how long events are kept, from one flag, several, or the environment', () => {
    const days = (argv: string[], env = {}) => {
      const parsed = parseArguments(['--environments', 'production,staging', ...argv], env)
      return parsed.kind === 'start' ? parsed.options.retentionDays : parsed
    }
    const both = { production: 400, staging: 7 }
    expect(days(['--retention', 'production=400d,staging=7d'])).toEqual(both)
    expect(days(['--retention', 'production=400d', '--retention', 'staging=7d'])).toEqual(both)
    expect(days([], { WAYMARK_RETENTION: 'production=400d, staging=7d' })).toEqual(both)
  })

  it('knows an engine process that another one has started', () => {
    const parsed = parseArguments(['--role', 'both', '--role', supervisedRole], {})
    expect(parsed).toEqual({ kind: 'start', isSupervised: true, options: { role: 'engine' } })
  })

  it('lets --quiet win over the variable of the log level, and not over its flag', () => {
    const levelOf = (flags: string[], env: NodeJS.ProcessEnv) => {
      const read = parseArguments(flags, env)
      return read.kind === 'start' ? read.options.logLevel : read
    }
    expect(levelOf(['--quiet'], { WAYMARK_LOG_LEVEL: 'info' })).toBeUndefined()
    expect(levelOf([], { WAYMARK_LOG_LEVEL: 'info', WAYMARK_QUIET: 'true' })).toBe('info')
    expect(levelOf(['--quiet', '--log-level', 'debug'], {})).toBe('debug')
  })

  it('is silent when quiet, and helps when asked', () => {
    expect(parseArguments(['--quiet'], {})).toEqual({
      kind: 'start',
      isSupervised: false,
      options: { quiet: true },
    })
    expect(parseArguments(['-h', '--port', 'x'], {})).toEqual({ kind: 'help' })
    expect(parseArguments(['--version'], {})).toEqual({ kind: 'version' })
  })

  it.each([
    [['--port', 'x'], '--port must be a number'],
    [['--port', '70000'], '--port must be a number'],
    [['--base-path', 'w'], '--base-path must be a path such as /w'],
    [['--users', 'ada'], '--users must read name:password'],
    [['--users', ':x'], '--users must read name:password'],
    [['--memory-limit', 'lots'], '--memory-limit must be a size'],
    [['--threads', '0'], '--threads must be a number from 1'],
    [['--statement-timeout', '0'], '--statement-timeout must be'],
    [['--min-free-disk', '5'], '--min-free-disk must be a size'],
    [['--clock-checked', '2027-1-31'], '--clock-checked must be a day'],
    [['--clock-checked', '2027-02-41'], '--clock-checked must be a day'],
    [['--log-level', 'loud'], '--log-level must be one of'],
    [['--columns', 'names'], '--columns must be one of objects, labels'],
    [['--environments', ','], '--environments must name'],
    [['--catalogs', 'analytics'], '--catalogs takes names'],
    [['--catalogs', 'Big-One'], '--catalogs takes names'],
    [['--catalogs', ''], '--catalogs must name'],
    [
      ['--retention', 'production=lots'],
      '--retention takes an environment and days, such as production=400d',
    ],
    [['--retention', 'staging=1d'], '--retention names staging, and --environments only production.'],
    [['--retention-archive', 'old'], '--retention-archive goes together with --retention'],
    [['--archive-after', '30d'], '--archive-after goes together with --archive'],
    [['--archive', 'a', '--archive-after', '30'], '--archive-after takes days, such as 30d, not 30.'],
    [['--archive', 's3://bucket/events'], '--archive takes a folder, not s3://bucket/events.'],
    [['--data', 'gs://bucket'], '--data takes a folder, not gs://bucket.'],
    [['--log', 'mysql://a/b'], '--log must be a URL such as postgres:'],
    [
      ['--log', 'postgres://a/b', '--log-durability', 'some'],
      '--log-durability must be one of quorum, local',
    ],
    [['--log', 'postgres://a/b', '--log-readers-kept', '0'], '--log-readers-kept must be a number of days'],
    [['--log-durability', 'local'], '--log-durability and --log-readers-kept go together with --log'],
    [
      ['--log', 'postgres://a/b', '--role', 'ingest', '--postgres-port', '0'],
      '--postgres-port answers queries',
    ],
    [['--prot', '1'], "Unknown option '--prot'"],
    [['extra'], 'Unexpected argument'],
  ])('refuses %j in one sentence', (flags, sentence) => {
    const parsed = parseArguments(flags, {})
    expect(parsed).toEqual({ kind: 'wrong', problem: expect.stringContaining(sentence) })
    expect(parsed).toEqual({ kind: 'wrong', problem: expect.stringMatching(/^[^\n]+\.$/) })
  })
})
