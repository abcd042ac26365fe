/** What rigs really run, and what merely looks like something worse; one on each line. */
const table = String.raw`
  rm -rf ./build
  rm -rf node_modules
  rm -rf build/*
  rm -rf *
  rm -rf .
  rm -rf /tmp/x
  rm -f x
  rm ~/x
  rm -r data
  rm -rf ~/project/build
  rm -rf "$HOME/.cache/x"
  rm -rf $HOME_DIR
  rm -rf /home/user/app
  rm -rf '~'
  rm -rf '$HOME'
  rm -rf "\$HOME"
  rm -rf \~
  rm -rf "$DIR/"
  echo "rm -rf /"
  echo rm -rf /
  # rm -rf /
  make # rm -rf /
  grep -r "rm -rf ~" .
  npm run rm / -rf
  cd / && ls
  cd build && rm -rf *
  (cd ~ && ls); rm -rf *
  (cd ~; ls;); rm -rf *
  cd ~ && cd x && rm -rf *
  sh -c "cd ~" && rm -rf *
  find . -delete
  find ~ -name "*.tmp" -delete
  find / -type f -mtime +9 -delete
  find ~
  dd if=/dev/sda of=disk.img
  dd if=/dev/zero of=x
  dd of=/dev/null
  cat /dev/sda1 > x
  make > /dev/null 2>&1
  echo x | tee /dev/stderr
  echo x > /dev/shm/x
  cp /dev/sda x
  wipefs /dev/sda
  ls /dev/sda
  test 1 -gt 2
  mkfs.ext4 -F disk.img
  mkfs.ext4 ./images/disk
  npm run format
  format src
  diskutil list
  git format-patch
  clang-format -i x.c
  del data
  del /q data
  rd data
  rmdir data
  rmdir /srv/x
  ri -r x
  Remove-Item data
  Get-ChildItem -Recurse
  cp -r /s data
  constructor /
  toString -rf /
  sudo -u
  bash script.sh
  cmd /c
  env A=1
`

const fragments = ['', ' ', '"', "'", '\\', '>', '$(', '&&', 'sudo', 'sh -c', 'eval', '__proto__', '`']

export const harmlessCommands: readonly string[] = [
  ...table.split('\n').map(line => line.trim()),
  ...fragments,
]
