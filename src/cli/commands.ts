import type { Command } from 'commander';

/** A command of `tidemark`: its name with its arguments, what it does, and what adds it to the program. */
type Listed = {
  readonly usage: string;
  readonly about: string;
  readonly load: () => Promise<(program: Command) => void>;
};

/** All commands, in the order of the help. Each is loaded when it is called: loading all takes longer than most run. */
export const COMMANDS: readonly Listed[] = [
  {
    usage: 'serve',
    about: 'Serve the API on HOST:PORT until a stop signal.',
    load: async () => (await import('./process-commands.ts')).addServe,
  },
  {
    usage: 'work',
    about: 'Run the jobs of the queues until a stop signal. Start as many as needed.',
    load: async () => (await import('./process-commands.ts')).addWork,
  },
  {
    usage: 'schedule',
    about: 'Run the clock. It only enqueues; several of them enqueue each job once.',
    load: async () => (await import('./process-commands.ts')).addSchedule,
  },
  {
    usage: 'board',
    about:
      'Serve operators on BOARD_HOST:BOARD_PORT: Bull Board, /operators, /metrics. Read-only unless --write.',
    load: async () => (await import('./process-commands.ts')).addBoard,
  },
  {
    usage: 'keys',
    about: 'Create, list and revoke API keys.',
    load: async () => (await import('./credit-commands.ts')).addKeys,
  },
  {
    usage: 'credits',
    about: 'Grant credits, show what was used, check the ledger.',
    load: async () => (await import('./credit-commands.ts')).addCredits,
  },
  {
    usage: 'vouchers',
    about: 'Create, list and revoke vouchers for credits.',
    load: async () => (await import('./credit-commands.ts')).addVouchers,
  },
  {
    usage: 'brief',
    about: 'Show a brief, or check one offline.',
    load: async () => (await import('./brief-commands.ts')).addBrief,
  },
  {
    usage: 'edgar',
    about: 'A local EDGAR for tests, demos and replays.',
    load: async () => (await import('./edgar-command.ts')).addEdgar,
  },
  {
    usage: 'replay <dir>',
    about: 'Ingest a folder of full submissions through the whole pipeline and print a summary.',
    load: async () => (await import('./replay-command.ts')).addReplay,
  },
  {
    usage: 'backfill',
    about: 'Bring in past filings: quarterly data sets of the SEC, or single documents.',
    load: async () => (await import('./backfill-command.ts')).addBackfill,
  },
  {
    usage: 'status',
    about: 'Print the progress of the pipeline: filings by state, events, briefs, pending work.',
    load: async () => (await import('./status-command.ts')).addStatus,
  },
  {
    usage: 'doctor',
    about: 'Check settings, services, store and processes, and change nothing. Exit 1 with a FAIL.',
    load: async () => (await import('./check-commands.ts')).addDoctor,
  },
  {
    usage: 'health',
    about: 'Exit 0 when all processes of this machine (or container) can work, else 1 with the reasons.',
    load: async () => (await import('./process-commands.ts')).addHealth,
  },
  {
    usage: 'backup <dir>',
    about: 'Copy MongoDB into a folder while everything runs: filings, events, accounts, briefs.',
    load: async () => (await import('./backup-commands.ts')).addBackup,
  },
  {
    usage: 'restore <dir>',
    about: 'Restore a backup into an empty MongoDB, and number events behind all that readers saw.',
    load: async () => (await import('./backup-commands.ts')).addRestore,
  },
  {
    usage: 'audit',
    about: 'List what is doubtful in the stored data: reasons, totals, mappings, value scales.',
    load: async () => (await import('./check-commands.ts')).addAudit,
  },
  {
    usage: 'failures',
    about: 'Quarantined filings: those that could not be fetched or parsed.',
    load: async () => (await import('./failures-commands.ts')).addFailures,
  },
  {
    usage: 'events',
    about: 'The stream of events: check it, and fence it off.',
    load: async () => (await import('./check-commands.ts')).addEvents,
  },
  {
    usage: 'reparse',
    about: 'Read stored filings again that an older parser read, and replace what it said.',
    load: async () => (await import('./reparse-command.ts')).addReparse,
  },
];
