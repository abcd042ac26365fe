import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { checkCommands, dangersIn } from '../../../src/hank/checks/commands.ts'
import { startEffort } from '../../../src/sentinel/sandbox-job.ts'
import { harmlessCommands } from './harmless-commands.ts'
import { places, told } from './problems.ts'

const rig = (...lines: string[]) => ({
  rigSetup: lines.map(run => ({ type: 'command' as const, command: { run } })),
})

/** What is said about a rig command that is given to a codon. */
const saidAbout = (run: string) => told(checkCommands, hankOf([codonOf('a', rig(run))]))

async function expectWarning(lines: readonly string[], deed: string): Promise<void> {
  for (const line of lines) {
    const said = await saidAbout(line)
    expect(said, line).toEqual([expect.stringContaining(deed)])
    expect(said[0], line).toMatch(
      /^warning: hank\[0\]\.rigSetup\[0\]\.command\.run: Codon 1 \(a\): the command /,
    )
  }
}

/** A table of commands, one on each line. */
const lines = (table: string) =>
  table
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

describe('dangerous commands', () => {
  verifies(
    ['7.3/warn-dangerous-root-or-home-deletion'],
    'deleting the root or a home directory gives a warning, in any of its spellings',
    async () => {
      const roots = ['/', '/*', '//', '/.', '/..', '"/"', "'/'", '"/"*', '/./*', '/{*,.*}']
      const homes = ['~', '~/', '~/*', '~/.', '~root', '/home', '/home/', '/home/*', '/home/user', '/root']
      const variables = ['$HOME', '"$HOME"', '$HOME/', '"$HOME"/*', '"$HOME/"', `$\{HOME}`, `"$\{HOME:?}"/*`]
      const paths = [...roots, ...homes, '/Users/someone/', ...variables]
      const flags = ['-fr', '-r', '-R', '-Rf', '-r -f', '-f -r', '--recursive --force', '-rfv', '-rf --']
      const table = String.raw`
        rm -r --no-preserve-root /
        rm --no-preserve-root -rf /
        rm / -rf
        rm -rf build / dist
        rm -f ~/*
        rm /*
        /bin/rm -rf /
        \rm -rf /
        sudo rm -rf /
        sudo -n -u me rm -rf /
        A=1 B=2 rm -rf /
        env A=1 rm -rf ~
        nohup rm -rf ~ &
        true && rm -rf /
        false || rm -rf /
        ls; rm -rf /;
        (rm -rf /)
        { rm -rf /; }
        x=$(rm -rf /)
        if true; then rm -rf ~; fi
        echo a | xargs rm -rf /
        sh -c "rm -rf /"
        bash -lc 'rm -rf ~'
        sudo sh -c "bash -c 'rm -rf /'"
        eval "rm -rf /"
        rm -rf / # all
        rm -rf / 2>/dev/null
        cd / && rm -rf *
        cd ~; rm -rf ./*
        cd && rm -rf .
        cd "$HOME" && rm -r .
        npx rimraf ~
        rimraf /
        find / -delete
        find ~ -type f -delete
        find ~ -mindepth 1 -exec rm -rf {} +
      `
      const all = [
        ...paths.map(path => `rm -rf ${path}`),
        ...flags.map(flag => `rm ${flag} ~`),
        ...lines(table),
        'make\nrm -rf /',
        'rm \\\n  -rf \\\n  /',
        'rm\t-rf\t/',
      ]
      await expectWarning(all, 'seems to delete the root or a home directory')
    },
  )

  verifies(['7.3/warn-dangerous-raw-disk-write'], 'writing to a raw disk gives a warning', async () => {
    const table = String.raw`
      dd if=/dev/zero of=/dev/sda
      dd of=/dev/nvme0n1 if=x.img bs=1M
      sudo dd if=x of=/dev/disk2
      dd if=x of="/dev/mmcblk0p1"
      dd if=x of=/dev/mapper/root
      dd if=x of=\\.\PhysicalDrive0
      gunzip -c x | dd of=/dev/vda
      cat x > /dev/sda
      cat x >/dev/sda1
      echo 1 >> /dev/hda
      : >| /dev/sdb
      >/dev/sda
      x &>/dev/sda
      cat x | tee /dev/sda
      cat x | sudo tee /dev/sda
      cp x.img /dev/sdb
      shred -n 1 /dev/sda
      wipefs -a /dev/sda
      wipefs --all /dev/sda
      blkdiscard /dev/nvme0n1
    `
    await expectWarning(lines(table), 'seems to write to a raw disk')
  })

  verifies(['7.3/warn-dangerous-formatting'], 'formatting a disk gives a warning', async () => {
    const table = `
      mkfs.ext4
      mkfs.ext4 /dev/sda1
      mkfs.ext4 $DISK
      mkfs -t xfs /dev/sdb
      sudo mkfs.vfat -F 32 /dev/sdc1
      /sbin/mkfs.btrfs /dev/sda
      mke2fs /dev/sda
      mkswap /dev/sda2
      newfs_apfs /dev/disk2
      diskutil eraseDisk JHFS+ X disk2
      format c:
      format C: /q
      FORMAT.COM D: /y
      cmd /c format c: /q
      Format-Volume -DriveLetter C
      Clear-Disk -Number 0
      powershell -Command "Format-Volume -DriveLetter D"
    `
    await expectWarning(lines(table), 'seems to format a disk')
  })

  verifies(
    ['7.3/warn-dangerous-windows-deletion'],
    'a recursive deletion for Windows gives a warning',
    async () => {
      const table = String.raw`
        del /s /q C:\data
        del /S data
        DEL /Q /S *.*
        del /f/s/q data
        del data -Recurse
        erase /s data
        cmd /c del /s x
        rd /s data
        rd /s /q data
        RD /S/Q data
        rmdir /s /q data
        cmd.exe /C "rmdir /s data"
        deltree data
        Remove-Item -Recurse -Force data
        remove-item data -recurse
        Remove-Item -r data
        ri -Recurse data
        rm -Recurse data
        pwsh -c "Remove-Item data -Rec"
      `
      await expectWarning(lines(table), 'seems to delete whole directory trees on Windows')
    },
  )

  it('are not suspected in everyday commands', () => {
    for (const line of harmlessCommands) expect([...dangersIn(line)], line).toEqual([])
  })

  it('are found in the rigs of loops and before output copies, each at its place', async () => {
    const outputFiles = [
      { copy: ['*'] },
      {
        copy: ['*'],
        beforeCopy: ['make', 'rm -rf /'].map(run => ({ type: 'command' as const, command: { run } })),
      },
    ]
    const hank = hankOf([loopOf('l', [codonOf('a', rig('make', 'rm -rf ~'))]), codonOf('b', { outputFiles })])
    expect(await told(checkCommands, hank)).toEqual([
      'warning: hank[0].codons[0].rigSetup[1].command.run: Codon 1.1 (a): the command `rm -rf ~` seems to delete the root or a home directory. Make sure that this is meant.',
      'warning: hank[1].outputFiles[1].beforeCopy[1].command.run: Codon 2 (b): the command `rm -rf /` seems to delete the root or a home directory. Make sure that this is meant.',
    ])
  })

  it('give one warning per kind', async () => {
    const run = 'rm -rf /; rm -rf ~; mkfs.ext4 /dev/sda; cat x > /dev/sda'
    expect(await places(checkCommands, hankOf([codonOf('a', rig(run))]))).toHaveLength(3)
  })

  it('are searched in any text without an exception, and in a long one without delay', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), line => dangersIn(line) !== undefined))
    const pieces = fc.constantFrom(
      'rm',
      ' -rf',
      ' /',
      ' ~',
      '"',
      "'",
      '\\',
      '$(',
      '`',
      ')',
      ';',
      '&&',
      '>',
      ' sh -c ',
      '\n',
    )
    fc.assert(fc.property(fc.array(pieces), parts => dangersIn(parts.join('')) !== undefined))
    const started = performance.now()
    for (const piece of ['rm -rf / ', 'sh -c "', '/a', '-r', '> ', '\\', '$HOME/', '(((', '\'"', '*']) {
      dangersIn(piece.repeat(20_000))
    }
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('are looked for in the beginning of a long command only, which is told', async () => {
    const long = `${'echo 1; '.repeat(8_192)}rm -rf /`
    expect(await saidAbout(`rm -rf ~; ${long}`)).toEqual([
      expect.stringContaining('seems to delete the root or a home directory'),
      expect.stringMatching(
        /` is longer than 65536 characters, and only its beginning was looked at\. Put it into a script\.$/,
      ),
    ])
    expect(await saidAbout('x'.repeat(65_536))).toEqual([])
  })

  it('are looked for in very many commands without delay, which is told', async () => {
    const runs = Array.from({ length: 80 }, (_, at) => `${'rm -rf a;'.repeat(7_000)}${at}`)
    const effort = startEffort()
    const said = await told(checkCommands, hankOf([codonOf('a', rig(...runs, ...runs))]))
    expect(effort()).toBeLessThan(6_000)
    expect(said).toEqual([
      'warning: hank: The commands are longer than 1048576 characters together, and the rest was not looked at.',
    ])
    const rigSetup = Array.from({ length: 200_000 }, () => rig('npm ci --ignore-scripts').rigSetup).flat()
    expect(await told(checkCommands, hankOf([codonOf('a', { rigSetup })]))).toEqual([])
  })

  it('are found behind every kind of quotes', () => {
    const found = [`rm -rf "/"`, `rm -rf '/'`, `rm -rf "$HOME"`, `rm -rf \\/`, `'rm' -rf ~`, `r"m" -rf /*`]
    for (const line of found) expect([...dangersIn(line)], line).toEqual(['root-or-home'])
    const kept = [
      `rm -rf '$HOME'`,
      `rm -rf "~"`,
      `rm -rf '~'`,
      `rm -rf \\~`,
      `rm -rf "\\$HOME"`,
      `echo "rm -rf /"`,
    ]
    for (const line of kept) expect([...dangersIn(line)], line).toEqual([])
  })
})
